// Arguments as expressions: data as it is, what came out of a door by its name.

import type { DoorCall } from "./calls.js";
import { type Node, mapping, octets, source } from "./nodes.js";

/** How deep a result is searched for what goes back. */
const DEPTH = 8;
/** How many objects of a result are looked at. */
const MOST = 5000;
/** A text that may be an id of the library's own making. Words have no digit, and keep to one case. */
const MINTED = /^(?=.*\d|.*[a-z].*[A-Z])[\w.:-]{6,64}$/;

/** The expression for a result of a door, or for something in it. Its name is known when all calls are. */
export class ResultReference {
  /** `path` is how a program gets from the result to it: `.response.messages[0]`. */
  constructor(readonly call: DoorCall, readonly path: string) {}
}

/** Writes arguments as expressions. It knows what came out of doors before. */
export class ValueWriter {
  /** A base URL that leads to the harness. */
  address = "";
  #known = new Map<object, ResultReference>();
  #texts = new Map<string, ResultReference>();
  #given = new Set<string>();
  #answered = "";

  /** Take in what came out of a door. What is inside counts where the provider was asked. */
  enter(call: DoorCall): void {
    if (!call.asked) {
      if (isObject(call.result)) this.#known.set(call.result, new ResultReference(call, ""));
      return;
    }
    for (const [path, value] of inside(call.result)) {
      const reference = new ResultReference(call, path);
      if (isObject(value) && !this.#known.has(value)) this.#known.set(value, reference);
      if (typeof value === "string" && this.#isNew(value)) this.#texts.set(value, reference);
    }
  }

  /** Take in what the provider answered. */
  heard(text: string): void {
    this.#answered += text;
  }

  /** A conversation begins: no text in it comes from what the library said in another. */
  forgetTexts(): void {
    this.#texts.clear();
    this.#given.clear();
    this.#answered = "";
  }

  /** `value` as an expression. Throws where it is neither data nor known. */
  expression(value: any): Node {
    if (value === null || typeof value === "boolean") return value;
    if (typeof value === "string") return this.#text(value);
    if (typeof value === "number") return Number.isFinite(value) ? value : source(String(value));
    if (value === undefined) return source("undefined");
    if (this.#known.has(value)) return this.#known.get(value);
    if (Array.isArray(value)) return value.map((item) => this.expression(item));
    if (value instanceof Uint8Array) return octets(value);
    if (!isPlain(value)) throw new Error(`${value?.constructor?.name ?? typeof value} is no data, and no door made it`);
    const members = Object.entries(value).filter(([, item]) => item !== undefined);
    return mapping(members.map(([key, item]) => [key, this.expression(item)]));
  }

  /** A text. One that only the library can know is taken from its result; an address is that of the program. */
  #text(text: string): Node {
    if (this.#texts.has(text) && !this.#answered.includes(text)) return this.#texts.get(text);
    this.#given.add(text);
    const origin = this.address && new URL(this.address).origin;
    if (!origin || !text.startsWith(origin)) return text;
    const rest = text.slice(origin.length);
    return source(rest ? `BASE_URL + ${JSON.stringify(rest)}` : "BASE_URL");
  }

  #isNew(text: string): boolean {
    return MINTED.test(text) && !this.#given.has(text) && !this.#texts.has(text);
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function isPlain(value: unknown): boolean {
  return isObject(value) && [Object.prototype, null].includes(Object.getPrototypeOf(value));
}

/** A result and what is in it, nearest first, each with its path. */
function* inside(result: unknown): Generator<[path: string, value: unknown]> {
  const queue: [string, unknown, number][] = [["", result, 0]];
  const seen = new Set<object>();
  for (const [path, value, depth] of queue) {
    if (isObject(value)) {
      if (seen.has(value) || seen.size > MOST) continue;
      seen.add(value);
    }
    yield [path, value];
    if (depth < DEPTH) for (const [step, item] of members(value)) queue.push([path + step, item, depth + 1]);
  }
}

function* members(value: unknown): Generator<[step: string, value: unknown]> {
  if (Array.isArray(value)) {
    for (const [place, item] of value.entries()) yield [`[${place}]`, item];
  } else if (isObject(value) && !(value instanceof Uint8Array)) {
    for (const name of names(value)) {
      const step = /^[A-Za-z$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
      if (!name.startsWith("_")) yield [step, read(value, name)];
    }
  }
}

/** The members that an object has, and those that its class computes. */
function names(value: object): Set<string> {
  const all = new Set(Object.keys(value));
  for (let kind = Object.getPrototypeOf(value); kind && kind !== Object.prototype; kind = Object.getPrototypeOf(kind)) {
    for (const [name, { get }] of Object.entries(Object.getOwnPropertyDescriptors(kind))) if (get) all.add(name);
  }
  return all;
}

/** A member, undefined where the class has none to give. */
function read(value: any, name: string): unknown {
  try {
    return value[name];
  } catch {
    return undefined;
  }
}
