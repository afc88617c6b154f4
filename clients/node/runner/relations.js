// @ts-check
// Assertions as data: what they mean. INTERPRETING.md in the export defines them; this file says the same, part by part.

import { read, stringify } from "./exact.js";
import { conforms } from "./schema.js";

/** @typedef {{rule: string, at: string | string[], where?: any[], of?: string, relation: string, value?: any, any?: boolean, if?: any[], or_same_as?: string}} Assertion */

/** Stands for a place where nothing is. */
const NOTHING = Symbol("nothing");
const FAILED = "/failed";

// --- places ---------------------------------------------------------------------------------------------------------

/** @param {any[]} values @param {string} at @returns {any[]} */
function below(values, at) {
  for (const step of at.split("/").slice(1)) values = values.flatMap((value) => into(value, step));
  return values;
}

/** @param {any} value @param {string} step @returns {any[]} */
function into(value, step) {
  if (step === "*") return Array.isArray(value) ? value : [];
  const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
  if (Array.isArray(value)) return /^\d+$/.test(name) && Number(name) < value.length ? [value[Number(name)]] : [];
  return isObject(value) && Object.hasOwn(value, name) ? [value[name]] : [];
}

/** @param {any} value */
const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
/** @param {string | string[]} at */
const listed = (at) => (Array.isArray(at) ? at : [at]);

/** The places that an assertion is about, `of` included. @param {Assertion} assertion @param {any} record */
function places(assertion, record) {
  const found = listed(assertion.at).flatMap((at) => below([record], at));
  const kept = found.filter((value) => (assertion.where ?? []).every((one) => meets(value, one)));
  const { of } = assertion;
  if (!of) return kept;
  return kept.flatMap((value) => {
    const inner = below([value], of);
    return inner.length || of.split("/").includes("*") ? inner : [NOTHING];
  });
}

/** @param {any} value @param {any} condition */
function meets(value, condition) {
  const [inner = NOTHING] = below([value], condition.at ?? "");
  if (inner === NOTHING && condition.relation !== "present") {
    return ["absent", "none-of", "tells-not"].includes(condition.relation);
  }
  return PLACE[condition.relation](inner, condition.value);
}

// --- values ---------------------------------------------------------------------------------------------------------

/** @param {any} one @param {any} other @param {(a: any, b: any) => boolean} leaf @returns {boolean} */
function compared(one, other, leaf) {
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

/** @param {any} value */
const isNumber = (value) => typeof value === "bigint" || typeof value === "number";
/** @param {any} one @param {any} other */
const equal = (one, other) => compared(one, other, (a, b) => a === b);
/** @param {any} one @param {any} other */
const alike = (one, other) => compared(one, other, (a, b) => a === b || (isNumber(a) && isNumber(b) && a == b));

/** A value, all that is in it, and all that is in the JSON that a text is. @param {any} value @returns {Generator<any>} */
function* within(value) {
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

/** @param {any} value @param {string} text */
function tells(value, text) {
  for (const one of within(value)) if (typeof one === "string" && one.includes(text)) return true;
  return false;
}

/** @param {any} value @param {any} wanted */
function carries(value, wanted) {
  for (const one of within(value)) if (alike(one, wanted)) return true;
  return false;
}

const TEXT_PARTS = [undefined, null, "text", "input_text", "output_text"];

/** @param {any} value @returns {string[]} */
function textsIn(value) {
  if (typeof value === "string") return [value];
  const parts = Array.isArray(value) ? value.filter((part) => isObject(part) && TEXT_PARTS.includes(part.type)) : [];
  return parts.map((part) => part.text).filter((text) => typeof text === "string");
}

/** @param {any} value @param {string} text */
function says(value, text) {
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

/** @param {any} value @param {any} wanted @returns {boolean} */
function includes(value, wanted) {
  if (Array.isArray(wanted)) {
    return Array.isArray(value) && value.length === wanted.length && wanted.every((one, place) => includes(value[place], one));
  }
  if (isObject(wanted)) {
    return isObject(value) && Object.keys(wanted).every((name) => Object.hasOwn(value, name) && includes(value[name], wanted[name]));
  }
  return equal(value, wanted);
}

/** @param {any} value @param {string} pattern */
const matches = (value, pattern) => typeof value === "string" && new RegExp(`^(?:${pattern})$`, "u").test(value);

// --- relations ------------------------------------------------------------------------------------------------------

/** @type {{[kind: string]: (value: any) => boolean}} */
const KINDS = {
  text: (value) => typeof value === "string",
  object: isObject,
  list: Array.isArray,
  boolean: (value) => typeof value === "boolean",
  number: isNumber,
  null: (value) => value === null,
  json: (value) => read(value) !== undefined,
  "json-object": (value) => isObject(read(value) ?? null),
};

/** @type {{[relation: string]: (value: any, wanted: any) => boolean}} */
const PLACE = {
  present: (value) => value !== NOTHING && value !== null,
  absent: (value) => value === NOTHING || value === null,
  is: (value, kinds) => kinds.some((/** @type {string} */ kind) => KINDS[kind](value)),
  equals: equal,
  "one-of": (value, known) => known.some((/** @type {any} */ one) => equal(value, one)),
  "none-of": (value, known) => !known.some((/** @type {any} */ one) => equal(value, one)),
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

/** @type {{[relation: string]: (values: any[], wanted: any) => boolean}} */
const ALL = {
  count: (values, number) => BigInt(values.length) === number,
  "at-least": (values, number) => BigInt(values.length) >= number,
  unique: (values) => values.every((one, place) => values.findIndex((other) => equal(one, other)) === place),
  "in-order": (values, wanted) => {
    const found = values.flatMap((value) => wanted.flatMap((/** @type {any} */ one, /** @type {number} */ place) => (equal(one, value) ? [place] : [])));
    return found.every((place, number) => number === 0 || found[number - 1] <= place);
  },
};

/** Whether an assertion holds of a record.
 * @param {Assertion} assertion @param {any} record @param {(provider: string) => any} schemaOf @returns {boolean} */
export function holds(assertion, record, schemaOf) {
  if (!(assertion.if ?? []).every((one) => holds(one, record, schemaOf))) return true;
  const { relation, value } = assertion;
  const all = places(assertion, record);
  const there = all.filter((one) => one !== NOTHING);
  if (relation in ALL) return ALL[relation](there, value);
  const looked = relation === "present" || relation === "absent" ? all : there;
  const right = looked.map((one) => {
    if (relation === "among") return listed(value).some((at) => below([record], at).some((other) => equal(one, other)));
    if (relation === "valid") return conforms(one, schemaOf(value));
    return PLACE[relation](one, value);
  });
  if (assertion.any) return right.some(Boolean);
  return right.every(Boolean) || (assertion.or_same_as !== undefined && equal(looked, below([record], assertion.or_same_as)));
}

/** The assertions that a record breaks.
 * @param {Assertion[]} assertions @param {any} record @param {(provider: string) => any} schemaOf */
export function broken(assertions, record, schemaOf) {
  const asked = record.failed ? assertions.filter((one) => one.at === FAILED) : assertions;
  const wrong = asked.filter((one) => one.relation !== "valid" && !holds(one, record, schemaOf));
  return wrong.length ? wrong : asked.filter((one) => one.relation === "valid" && !holds(one, record, schemaOf));
}

/** What an assertion looked at, for people. @param {Assertion} assertion @param {any} record */
export function found(assertion, record) {
  const values = places(assertion, record).map((one) => (one === NOTHING ? "nothing" : stringify(one)));
  return values.join(", ").slice(0, 300) || "no place";
}
