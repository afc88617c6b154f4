// Notes which methods of a library the doors of a shim call, with which arguments: the inventory of doors.
//
// Nothing is noted unless the environment variable names a folder with a file of the methods to watch, as the inventory
// writes them (`generateText`, `ChatOpenAI()`, `BaseChatModel.invoke`). What is new in a process is added to a file there,
// line by line: a JSON object with `method` and, as it is, `parameter`: a member of an object that was given, or `#` and
// the place of an argument.

import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";

import type { Fields } from "../protocol.js";

const VARIABLE = "CONFORMANCE_DOORS";
const IMPORT = /^(import|export) \{([^}]+)\} from "([^"]+)";$/gm;
const LIBRARY = "conformanceLibrary";

const folder = process.env[VARIABLE];

/** Whether methods are watched in this process. */
export const isWatching = folder !== undefined;

const watched = new Set<string>();
const noted = new Set<string>();
if (folder !== undefined) {
  const request: { [shim: string]: string[] } = JSON.parse(readFileSync(join(folder, "request.json"), "utf8"));
  for (const methods of Object.values(request)) for (const method of methods) watched.add(method);
}

/** The members of a module of doors, each thing that it takes of a library put behind one that looks at its calls. */
export async function watchedDoors(text: string): Promise<{ [name: string]: any }> {
  const library: Fields = {};
  const names: { [module: string]: string[] } = {};
  for (const [, , clauses, module] of text.matchAll(IMPORT)) {
    const members = await import(module!);
    for (const clause of clauses!.split(",").map((one) => one.trim()).filter(Boolean)) {
      const [name, alias] = clause.split(" as ");
      library[alias ?? name!] = around(name!, members[name!]);
      (names[module!] ??= []).push(alias ?? name!);
    }
  }
  (globalThis as Fields)[LIBRARY] = { ...(globalThis as Fields)[LIBRARY], ...library };
  const source = text.replace(IMPORT, (_, kind: string, clauses: string) => {
    const own = clauses.split(",").map((one) => one.trim().split(" as ").at(-1)).filter(Boolean).join(", ");
    return `${kind === "export" ? "export " : ""}const { ${own} } = globalThis.${LIBRARY};`;
  });
  return import(`data:text/javascript,${encodeURIComponent(source)}`);
}

/** A function or a class of the library's, whose calls are noted. */
function around(name: string, member: any): any {
  if (typeof member !== "function") return member;
  return new Proxy(member, {
    apply: (target, self, given) => {
      note(name, given);
      return came(Reflect.apply(target, self, given));
    },
    construct: (target, given) => {
      note(`${name}()`, given);
      const made = Reflect.construct(target, given);
      watchObject(made);
      return made;
    },
  });
}

/** What a method gave: if it is an object of the library's, its methods are watched, too. */
function came(result: any): any {
  if (result instanceof Promise) return result.then((given) => (watchItems(given), watchObject(given), given));
  watchItems(result);
  watchObject(result);
  return result;
}

const done = new WeakSet<object>();

/** Watch what comes out of a stream. */
function watchItems(stream: any): void {
  const iterate = stream?.[Symbol.asyncIterator];
  if (typeof iterate !== "function" || done.has(stream)) return;
  done.add(stream);
  const value = function (this: any): any {
    const items = iterate.call(this);
    const next = items.next.bind(items);
    items.next = async (...given: any[]) => {
      const item = await next(...given);
      watchObject(item.value);
      return item;
    };
    return items;
  };
  Object.defineProperty(stream, Symbol.asyncIterator, { value, configurable: true });
}

/** Put the methods of an object's classes behind functions that look at their calls, once. */
function watchObject(thing: any): void {
  if (thing === null || typeof thing !== "object") return;
  const classes: any[] = [];
  for (let kind = Object.getPrototypeOf(thing); kind && kind !== Object.prototype; kind = Object.getPrototypeOf(kind)) {
    classes.push(kind);
  }
  classes.forEach((kind, place) => {
    if (done.has(kind)) return;
    done.add(kind);
    const above = classes.slice(place).map((one) => one.constructor.name);
    for (const [name, { value, writable }] of Object.entries(Object.getOwnPropertyDescriptors(kind))) {
      const ats = above.map((holder) => `${holder}.${name}`).filter((at) => watched.has(at));
      if (typeof value !== "function" || !writable || !ats.length) continue;
      kind[name] = function (this: any, ...given: any[]): any {
        const own = isFromDoors();
        if (own) ats.forEach((at) => note(at, given));
        const result = value.apply(this, given);
        return own ? came(result) : result;
      };
    }
  });
}

/** Whether a door made the call that is being looked at: what the library calls inside is its own affair. */
function isFromDoors(): boolean {
  const frames = new Error().stack?.split("\n") ?? [];
  return frames[3]?.includes("data:text/javascript") ?? false;
}

function note(method: string, given: any[]): void {
  if (!watched.has(method)) return;
  line({ method });
  given.forEach((value, place) => {
    if (value === undefined) return;
    line({ method, parameter: `#${place}` });
    if (value !== null && typeof value === "object" && Object.getPrototypeOf(value) === Object.prototype) {
      for (const [name, inner] of Object.entries(value)) if (inner !== undefined) line({ method, parameter: name });
    }
  });
}

function line(said: { [key: string]: string }): void {
  const text = JSON.stringify(said);
  if (noted.has(text)) return;
  noted.add(text);
  appendFileSync(join(folder!, `seen-${process.pid}.jsonl`), `${text}\n`);
}
