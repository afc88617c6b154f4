// JSON Schema, as far as the export's schemas use it (draft 2020-12): a keyword that is not here is refused, not
// ignored.

type Schema = any;

const isObject = (value: any) => value !== null && typeof value === "object" && !Array.isArray(value);

const TYPES: { [kind: string]: (value: any) => boolean } = {
  object: isObject,
  array: Array.isArray,
  string: (value) => typeof value === "string",
  boolean: (value) => typeof value === "boolean",
  null: (value) => value === null,
  integer: (value) => typeof value === "bigint" || (typeof value === "number" && Number.isInteger(value)),
  number: (value) => typeof value === "bigint" || typeof value === "number",
};

const KEYWORDS: { [keyword: string]: (value: any, wanted: any, schema: Schema, root: Schema) => boolean } = {
  $ref: (value, ref, _, root) => valid(value, resolved(ref, root), root),
  type: (value, kinds) => [kinds].flat().some((kind) => TYPES[kind](value)),
  enum: (value, known) => known.includes(value),
  const: (value, wanted) => value === wanted,
  pattern: (value, text) => typeof value !== "string" || new RegExp(text, "u").test(value),
  required: (value, names) => !isObject(value) || names.every((name: string) => Object.hasOwn(value, name)),
  properties: (value, known, _, root) =>
    !isObject(value) ||
    Object.keys(value).every((name) => !Object.hasOwn(known, name) || valid(value[name], known[name], root)),
  additionalProperties: (value, other, schema, root) =>
    !isObject(value) ||
    Object.keys(value).every(
      (name) => Object.hasOwn(schema.properties ?? {}, name) || valid(value[name], other, root),
    ),
  items: (value, one, _, root) => !Array.isArray(value) || value.every((item) => valid(item, one, root)),
  anyOf: (value, some, _, root) => some.some((one: Schema) => valid(value, one, root)),
  allOf: (value, all, _, root) => all.every((one: Schema) => valid(value, one, root)),
  not: (value, other, _, root) => !valid(value, other, root),
  if: (value, condition, schema, root) =>
    valid(value, (valid(value, condition, root) ? schema.then : schema.else) ?? true, root),
};
const WORDS = ["$schema", "$defs", "$comment", "then", "else", "title", "description"];

/** Whether a value conforms to a schema. */
export function conforms(value: any, schema: Schema) {
  return valid(value, schema, schema);
}

function valid(value: any, schema: Schema, root: Schema): boolean {
  if (typeof schema === "boolean") return schema;
  return Object.entries(schema).every(([keyword, wanted]) => {
    if (WORDS.includes(keyword)) return true;
    if (!Object.hasOwn(KEYWORDS, keyword)) throw new Error(`the keyword ${keyword} is not known here`);
    return KEYWORDS[keyword](value, wanted, schema, root);
  });
}

function resolved(ref: string, root: Schema): Schema {
  return ref
    .split("/")
    .slice(1)
    .reduce((here, step) => here[step.replaceAll("~1", "/").replaceAll("~0", "~")], root);
}
