// Schemas as users of zod write them.

import { z } from "zod";

export function zodObject(fields) {
  return z.object(fields);
}

export function zodString() {
  return z.string();
}

export function zodInteger() {
  return z.int();
}

export function zodNumber() {
  return z.number();
}

export function zodBoolean() {
  return z.boolean();
}

export function zodArray(items) {
  return z.array(items);
}

export function described(schema, description) {
  return schema.describe(description);
}

export function optional(schema) {
  return schema.optional();
}
