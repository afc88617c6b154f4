// Schemas by zod, as most users write them: only where zod can say all that a tool's own schema says.

import { doors } from "./capture/doors.js";
import type { Fields, Tool } from "./protocol.js";

const zod = await doors("zod");

const KINDS: { [type: string]: () => any } = {
  string: zod.zodString!, integer: zod.zodInteger!, number: zod.zodNumber!, boolean: zod.zodBoolean!,
};
const SAID = new Set(["type", "description", "items"]);
const OF_OBJECTS = new Set(["type", "properties", "required"]);

/** The tool's parameters in zod, undefined where zod would say them otherwise. */
export function zodSchema({ parameters }: Tool): any {
  const own: Fields = parameters ?? {};
  const asked: Fields = own.properties ?? {};
  const isPlainObject = Object.keys(own).every((key) => OF_OBJECTS.has(key));
  if (!isPlainObject || !Object.values(asked).every(isPlain)) return undefined;
  const fields = Object.entries(asked).map(([name, schema]) => {
    const made = written(schema);
    return [name, own.required?.includes(name) ? made : zod.optional!(made)];
  });
  return zod.zodObject!(Object.fromEntries(fields));
}

function isPlain(schema: any): boolean {
  if (typeof schema !== "object" || schema === null || !Object.keys(schema).every((key) => SAID.has(key))) return false;
  return schema.type === "array" ? isPlain(schema.items) : schema.type in KINDS && !("items" in schema);
}

function written(schema: Fields): any {
  const made = schema.type === "array" ? zod.zodArray!(written(schema.items)) : KINDS[schema.type]!();
  return schema.description === undefined ? made : zod.described!(made, schema.description);
}
