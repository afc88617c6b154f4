// @ts-check
// JSON Schema, as far as the export's schemas use it (draft 2020-12): a keyword that is not here is refused, not ignored.

/** @typedef {any} Schema */

/** @param {any} value */
const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

/** @type {{[kind: string]: (value: any) => boolean}} */
const TYPES = {
  object: isObject,
  array: Array.isArray,
  string: (value) => typeof value === "string",
  boolean: (value) => typeof value === "boolean",
  null: (value) => value === null,
  integer: (value) => typeof value === "bigint" || (typeof value === "number" && Number.isInteger(value)),
  number: (value) => typeof value === "bigint" || typeof value === "number",
};

/** @type {{[keyword: string]: (value: any, wanted: any, schema: Schema, root: Schema) => boolean}} */
const KEYWORDS = {
  $ref: (value, ref, _, root) => valid(value, resolved(ref, root), root),
  type: (value, kinds) => [kinds].flat().some((kind) => TYPES[kind](value)),
  enum: (value, known) => known.includes(value),
  const: (value, wanted) => value === wanted,
  pattern: (value, text) => typeof value !== "string" || new RegExp(text, "u").test(value),
  required: (value, names) => !isObject(value) || names.every((/** @type {string} */ name) => Object.hasOwn(value, name)),
  properties: (value, known, _, root) =>
    !isObject(value) || Object.keys(value).every((name) => !Object.hasOwn(known, name) || valid(value[name], known[name], root)),
  additionalProperties: (value, other, schema, root) =>
    !isObject(value) ||
    Object.keys(value).every((name) => Object.hasOwn(schema.properties ?? {}, name) || valid(value[name], other, root)),
  items: (value, one, _, root) => !Array.isArray(value) || value.every((item) => valid(item, one, root)),
  anyOf: (value, some, _, root) => some.some((/** @type {Schema} */ one) => valid(value, one, root)),
  allOf: (value, all, _, root) => all.every((/** @type {Schema} */ one) => valid(value, one, root)),
  not: (value, other, _, root) => !valid(value, other, root),
  if: (value, condition, schema, root) =>
    valid(value, (valid(value, condition, root) ? schema.then : schema.else) ?? true, root),
};
const WORDS = ["$schema", "$defs", "$comment", "then", "else", "title", "description"];

/** Whether a value conforms to a schema. @param {any} value @param {Schema} schema */
export function conforms(value, schema) {
  return valid(value, schema, schema);
}

/** @param {any} value @param {Schema} schema @param {Schema} root @returns {boolean} */
function valid(value, schema, root) {
  if (typeof schema === "boolean") return schema;
  return Object.entries(schema).every(([keyword, wanted]) => {
    if (WORDS.includes(keyword)) return true;
    if (!Object.hasOwn(KEYWORDS, keyword)) throw new Error(`the keyword ${keyword} is not known here`);
    return KEYWORDS[keyword](value, wanted, schema, root);
  });
}

/** @param {string} ref @param {Schema} root @returns {Schema} */
function resolved(ref, root) {
  return ref.split("/").slice(1).reduce((here, step) => here[step.replaceAll("~1", "/").replaceAll("~0", "~")], root);
}
