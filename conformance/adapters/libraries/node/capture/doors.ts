// Doors: the functions through which a shim calls its library, and what goes through them.
//
// Doors stand in modules of their own, in plain JavaScript, which hold nothing but the library's calls. Nothing is kept
// unless the environment variable names a file. Then each model call adds a line to it: a JSON object with what a
// program needs (program.ts).

import { appendFileSync, readFileSync } from "node:fs";

import type { Door, DoorCall } from "./calls.js";
import { DoorModule } from "./modules.js";
import { program } from "./program.js";
import { ValueWriter } from "./values.js";
import { isWatching, watchedDoors } from "./watching.js";

/** Names the file for what is captured. */
const VARIABLE = "CONFORMANCE_CAPTURE";

/** The functions of a module in `doors`, which stands beside the compiled shim. */
export async function doors(name: string): Promise<{ [name: string]: any }> {
  const url = new URL(`./doors/${name}.js`, import.meta.url);
  if (isWatching) return watchedDoors(readFileSync(url, "utf8"));
  const members = await import(url.href);
  if (capture === undefined) return members;
  const module = new DoorModule(readFileSync(url, "utf8"), members);
  return Object.fromEntries(
    Object.entries(members).map(([name, member]: [string, any]) => {
      const door = { name, module, isClass: String(member).startsWith("class") };
      return [name, capture.around(door, member)];
    }),
  );
}

/**
 * Make a model call at a base URL: what goes through doors belongs to it, and is written down at its end. `begins` says
 * that the library has said nothing yet in this conversation.
 */
export async function modelCall<T>(address: string, begins: boolean, make: () => Promise<T>): Promise<T> {
  return capture === undefined ? make() : capture.modelCall(address, begins, make);
}

/** From now on nothing that goes through doors is kept, until what this returns is called. */
export function unobserved(): () => void {
  if (capture === undefined) return () => {};
  capture.silent += 1;
  return () => {
    capture.silent -= 1;
  };
}

/** All that goes through doors in this process. */
class Capture {
  #path: string;
  #calls: DoorCall[] = [];
  #writer = new ValueWriter();
  #number = 0;
  #requests = 0;
  #bodies: Promise<void>[] = [];
  #inside = false;
  /** How many want that nothing is kept. */
  silent = 0;

  constructor(path: string) {
    this.#path = path;
    const original = globalThis.fetch;
    globalThis.fetch = async (...request) => {
      if (this.silent) return original(...request);
      this.#requests += 1;
      const response = await original(...request);
      this.#bodies.push(this.#read(response.clone()));
      return response;
    };
  }

  /** What is called in place of a function or a class. */
  around(door: Door, member: any): any {
    return new Proxy(member, {
      apply: (target, self, given) => this.#through(door, given, () => Reflect.apply(target, self, given)),
      construct: (target, given) => this.#through(door, given, () => Reflect.construct(target, given)),
    });
  }

  /** A model call, and the line that says how it was made. */
  async modelCall<T>(address: string, begins: boolean, make: () => Promise<T>): Promise<T> {
    this.#number += 1;
    this.#writer.address = address;
    if (begins) this.#writer.forgetTexts();
    try {
      return await make();
    } finally {
      await Promise.all(this.#bodies.splice(0));
      appendFileSync(this.#path, `${JSON.stringify(program(this.#calls, this.#number))}\n`);
    }
  }

  /** Go through a door. What a library changes of its arguments while it is called is not kept. */
  #through(door: Door, given: any[], enter: () => any): any {
    if (this.#inside || this.silent) return enter();
    const made: DoorCall = {
      door,
      arguments: given.map((value) => this.#writer.expression(value)),
      modelCall: this.#number,
      asked: false,
      raised: false,
      awaited: false,
    };
    this.#calls.push(made);
    const before = this.#requests;
    const leave = (): void => {
      this.#inside = false;
      made.asked = this.#requests > before;
    };
    const came = (result: any): any => {
      leave();
      made.result = result;
      this.#writer.enter(made);
      return result;
    };
    const threw = (problem: unknown): never => {
      leave();
      made.raised = true;
      throw problem;
    };
    this.#inside = true;
    try {
      const result = enter();
      made.awaited = result instanceof Promise;
      return made.awaited ? result.then(came, threw) : came(result);
    } catch (problem) {
      return threw(problem);
    }
  }

  /** Take in what the provider answered. A connection that breaks off has said what it said. */
  async #read(response: Response): Promise<void> {
    try {
      this.#writer.heard(await response.text());
    } catch {
      // the library is told of it as well
    }
  }
}

const path = process.env[VARIABLE];
const capture = path === undefined ? undefined : new Capture(path);
