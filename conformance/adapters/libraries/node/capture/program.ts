// A model call as a program: the doors that it needs, called in their order. The same as
// conformance/adapters/capture/program.py makes of the shims in Python.

import type { DoorCall } from "./calls.js";
import { importLines } from "./modules.js";
import { type Node, call, source } from "./nodes.js";
import { ResultReference } from "./values.js";

interface Step {
  /** The name of its result. */
  name: string;
  value: Node;
  /** The number of the model call that it makes, false where it makes none. */
  model_call: number | false;
}

interface Program {
  imports: string[];
  definitions: string[];
  steps: Step[];
}

/**
 * The program of the model call with a number. No steps: it came to no door. Calls whose result nothing needs are left
 * out. A result that is needed once stands where it is needed.
 */
export function program(calls: DoorCall[], number: number): Program {
  const needed = neededCalls(calls, number);
  const names = resultNames(needed);
  const needs = needed.flatMap(({ door }) => [...door.module.needs(door.name)]);
  return {
    imports: importLines(needs.filter((need) => "module" in need)),
    definitions: [...new Set(needs.flatMap((need) => ("definition" in need ? [need.definition] : [])))],
    steps: Array.from(names, ([made, name]) => ({
      name,
      value: written(made, names),
      model_call: made.asked && made.modelCall,
    })),
  };
}

/** The last call of the provider, or the one that threw, and those whose results it needs, directly or not. */
function neededCalls(calls: DoorCall[], number: number): DoorCall[] {
  const last = calls.filter(({ modelCall }) => modelCall === number);
  const wanted = new Set([last.findLast(({ asked, raised }) => asked || raised) ?? last.at(-1)]);
  for (const made of calls.toReversed()) {
    if (wanted.has(made)) for (const { call: used } of references(made.arguments)) wanted.add(used);
  }
  return calls.filter((made) => wanted.has(made));
}

/** The references in an expression, as often as they are there. */
function references(node: Node): ResultReference[] {
  if (node instanceof ResultReference) return [node];
  return typeof node === "object" && node !== null ? Object.values(node).flatMap(references) : [];
}

/** The calls that are statements, with the names of their results. Others stand where their result is needed. */
function resultNames(calls: DoorCall[]): Map<DoorCall, string> {
  const uses = calls.flatMap((made) => references(made.arguments));
  const taken = new Set(calls.map(({ door }) => door.name));
  const names = new Map<DoorCall, string>();
  for (const made of calls) {
    const own = uses.filter((use) => use.call === made);
    const last = made === calls.at(-1);
    if (!last && !made.asked && own.length === 1 && own[0]!.path === "") continue;
    const noun = made.asked || last ? "answer" : nounOf(made.door.name);
    let name = noun;
    for (let number = 2; taken.has(name); number += 1) name = `${noun}${number}`;
    taken.add(name);
    names.set(made, name);
  }
  return names;
}

/** What a function makes: `createModel` makes a `model`, and so does the class `Model`. */
function nounOf(name: string): string {
  const noun = name.replace(/^create(?=[A-Z])/, "");
  return noun[0]!.toLowerCase() + noun.slice(1);
}

/** A call with names, or with calls, where results are meant. */
function written(made: DoorCall, names: Map<DoorCall, string>): Node {
  const { door, awaited } = made;
  const callee = `${awaited ? "await " : ""}${door.isClass ? "new " : ""}${door.name}`;
  return call(callee, made.arguments.map((node) => resolved(node, names)));
}

function resolved(node: Node, names: Map<DoorCall, string>): Node {
  if (node instanceof ResultReference) {
    return names.has(node.call) ? source(names.get(node.call) + node.path) : written(node.call, names);
  }
  if (Array.isArray(node)) return node.map((item) => resolved(item, names));
  if (typeof node !== "object" || node === null) return node;
  return Object.fromEntries(Object.entries(node).map(([key, item]) => [key, resolved(item, names)]));
}
