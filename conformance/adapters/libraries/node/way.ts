// The way that this process goes into its library: what the harness started it with.

const [, , name = "", ...modes] = process.argv;

/** The name of the way; empty for the usual one. */
export const WAY = name;

/** The capabilities that the way does not have: it is blocking alone, or streams alone. */
export const MODES_APART = modes.length ? ["blocking", "streaming"].filter((mode) => !modes.includes(mode)) : [];

/** What a table has for the way; for the usual one, the first. */
export function chosen<T>(table: { [way: string]: T }): T {
  const found = WAY ? table[WAY] : Object.values(table)[0];
  if (found === undefined) throw new Error(`there is no way ${WAY}`);
  return found;
}
