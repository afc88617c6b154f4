// Assertions as data: what they mean. INTERPRETING.md in the export defines them; this file says the same, part by
// part.

import { read, stringify } from "./exact.ts";
import { conforms } from "./schema.ts";
import type { Assertion, CallRecord, Condition, SchemaOf } from "./types.ts";

/** Stands for a place where nothing is. */
const NOTHING = Symbol("nothing");
const FAILED = "/failed";

// --- places ---------------------------------------------------------------------------------------------------------

function below(values: any[], at: string): any[] {
  for (const step of at.split("/").slice(1)) values = values.flatMap((value) => into(value, step));
  return values;
}

function into(value: any, step: string): any[] {
  if (step === "*") return Array.isArray(value) ? value : [];
  const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
  if (Array.isArray(value)) return /^\d+$/.test(name) && Number(name) < value.length ? [value[Number(name)]] : [];
  return isObject(value) && Object.hasOwn(value, name) ? [value[name]] : [];
}

const isObject = (value: any) => value !== null && typeof value === "object" && !Array.isArray(value);

const listed = (at: string | string[]) => (Array.isArray(at) ? at : [at]);

/** The places that an assertion is about, `of` included. */
function places(assertion: Assertion, record: CallRecord) {
  const found = listed(assertion.at).flatMap((at) => below([record], at));
  const kept = found.filter((value) => (assertion.where ?? []).every((one) => meets(value, one)));
  const { of } = assertion;
  if (!of) return kept;
  return kept.flatMap((value) => {
    const inner = below([value], of);
    return inner.length || of.split("/").includes("*") ? inner : [NOTHING];
  });
}

function meets(value: any, condition: Condition) {
  const [inner = NOTHING] = below([value], condition.at ?? "");
  if (inner === NOTHING && condition.relation !== "present") {
    return ["absent", "none-of", "tells-not"].includes(condition.relation);
  }
  return PLACE[condition.relation](inner, condition.value);
}

// --- values ---------------------------------------------------------------------------------------------------------

function compared(one: any, other: any, leaf: (a: any, b: any) => boolean): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((value, place) => compared(value, other[place], leaf));
  }
  if (isObject(one) && isObject(other)) {
    const names = Object.keys(one);
    return (
      names.length === Object.keys(other).length &&
      names.every((name) => Object.hasOwn(other, name) && compared(one[name], other[name], leaf))
    );
  }
  return leaf(one, other);
}

const isNumber = (value: any) => typeof value === "bigint" || typeof value === "number";

const equal = (one: any, other: any) => compared(one, other, (a, b) => a === b);

const alike = (one: any, other: any) =>
  compared(one, other, (a, b) => a === b || (isNumber(a) && isNumber(b) && a == b));

/** A value, all that is in it, and all that is in the JSON that a text is. */
function* within(value: any): Generator<any> {
  const pending = [value];
  while (pending.length) {
    const one = pending.pop();
    yield one;
    const inner = typeof one === "string" ? read(one) : one;
    if (inner !== null && typeof inner === "object") {
      pending.push(...(typeof one === "string" ? [inner] : Object.values(inner)));
    }
  }
}

function tells(value: any, text: string) {
  for (const one of within(value)) if (typeof one === "string" && one.includes(text)) return true;
  return false;
}

function carries(value: any, wanted: any) {
  for (const one of within(value)) if (alike(one, wanted)) return true;
  return false;
}

const TEXT_PARTS = [undefined, null, "text", "input_text", "output_text"];

function textsIn(value: any): string[] {
  if (typeof value === "string") return [value];
  const parts = Array.isArray(value) ? value.filter((part) => isObject(part) && TEXT_PARTS.includes(part.type)) : [];
  return parts.map((part) => part.text).filter((text) => typeof text === "string");
}

function says(value: any, text: string) {
  let said = "";
  const edges = new Set();
  for (const part of textsIn(value)) {
    edges.add(said.length + part.length - part.trimStart().length);
    edges.add(said.length + part.trimEnd().length);
    said += part;
  }
  for (let begin = said.indexOf(text); begin >= 0; begin = said.indexOf(text, begin + 1)) {
    const end = begin + text.length;
    const opens = edges.has(begin) || said.slice(0, begin).split("\n").at(-1)?.trim() === "";
    const closes = edges.has(end) || said.slice(end).split("\n")[0].trim() === "";
    if (opens && closes) return true;
  }
  return false;
}

function includes(value: any, wanted: any): boolean {
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(value) &&
      value.length === wanted.length &&
      wanted.every((one, place) => includes(value[place], one))
    );
  }
  if (isObject(wanted)) {
    return (
      isObject(value) &&
      Object.keys(wanted).every((name) => Object.hasOwn(value, name) && includes(value[name], wanted[name]))
    );
  }
  return equal(value, wanted);
}

const matches = (value: any, pattern: string) =>
  typeof value === "string" && new RegExp(`^(?:${pattern})$`, "u").test(value);

// --- relations ------------------------------------------------------------------------------------------------------

const KINDS: { [kind: string]: (value: any) => boolean } = {
  text: (value) => typeof value === "string",
  object: isObject,
  list: Array.isArray,
  boolean: (value) => typeof value === "boolean",
  number: isNumber,
  null: (value) => value === null,
  json: (value) => read(value) !== undefined,
  "json-object": (value) => isObject(read(value) ?? null),
};

const PLACE: { [relation: string]: (value: any, wanted: any) => boolean } = {
  present: (value) => value !== NOTHING && value !== null,
  absent: (value) => value === NOTHING || value === null,
  is: (value, kinds) => kinds.some((kind: string) => KINDS[kind](value)),
  equals: equal,
  "one-of": (value, known) => known.some((one: any) => equal(value, one)),
  "none-of": (value, known) => !known.some((one: any) => equal(value, one)),
  matches,
  contains: (value, text) => typeof value === "string" && value.includes(text),
  means: (value, wanted) => alike(value, wanted) || alike(read(value), wanted),
  carries,
  tells,
  "tells-not": (value, text) => !tells(value, text),
  says,
  includes,
  "only-members": (value, names) => isObject(value) && Object.keys(value).every((name) => names.includes(name)),
};

const ALL: { [relation: string]: (values: any[], wanted: any) => boolean } = {
  count: (values, number) => BigInt(values.length) === number,
  "at-least": (values, number) => BigInt(values.length) >= number,
  unique: (values) => values.every((one, place) => values.findIndex((other) => equal(one, other)) === place),
  "in-order": (values, wanted) => {
    const found = values.flatMap((value) =>
      wanted.flatMap((one: any, place: number) => (equal(one, value) ? [place] : [])),
    );
    return found.every((place, number) => number === 0 || found[number - 1] <= place);
  },
};

/** Whether an assertion holds of a record. */
export function holds(assertion: Assertion, record: CallRecord, schemaOf: SchemaOf): boolean {
  if (!(assertion.if ?? []).every((one) => holds(one, record, schemaOf))) return true;
  const { relation, value } = assertion;
  const all = places(assertion, record);
  const there = all.filter((one) => one !== NOTHING);
  if (relation in ALL) return ALL[relation](there, value);
  const looked = relation === "present" || relation === "absent" ? all : there;
  const right = looked.map((one) => {
    if (relation === "among")
      return listed(value).some((at) => below([record], at).some((other) => equal(one, other)));
    if (relation === "valid") return conforms(one, schemaOf(value));
    return PLACE[relation](one, value);
  });
  if (assertion.any) return right.some(Boolean);
  return (
    right.every(Boolean) ||
    (assertion.or_same_as !== undefined && equal(looked, below([record], assertion.or_same_as)))
  );
}

/** The assertions that a record breaks. */
export function broken(assertions: Assertion[], record: CallRecord, schemaOf: SchemaOf) {
  const asked = record.failed ? assertions.filter((one) => one.at === FAILED) : assertions;
  const wrong = asked.filter((one) => one.relation !== "valid" && !holds(one, record, schemaOf));
  return wrong.length ? wrong : asked.filter((one) => one.relation === "valid" && !holds(one, record, schemaOf));
}

/** What an assertion looked at, for people. */
export function found(assertion: Assertion, record: CallRecord) {
  const values = places(assertion, record).map((one) => (one === NOTHING ? "nothing" : stringify(one)));
  return values.join(", ").slice(0, 300) || "no place";
}
