// JSON that survives: whole numbers are read as BigInt, so that none is rounded, and 5 stays apart from 5.0.

const TOKEN =
  /[ \t\r\n]*(?:([{}[\],:])|("(?:[^"\\\u0000-\u001f]|\\.)*")|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(true|false|null))/y;
const WORDS: { [word: string]: boolean | null } = { true: true, false: false, null: null };
const DEEPEST = 1000;

/** The value of JSON text. Throws SyntaxError for what is none. */
export function parse(text: string): any {
  let at = 0;
  const next = () => {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(text);
    if (found === null) throw new SyntaxError(`no JSON at ${at}`);
    at = TOKEN.lastIndex;
    return found;
  };
  const value = (found: RegExpExecArray, depth: number): any => {
    const [, mark, string, number, word] = found;
    if (depth > DEEPEST) throw new SyntaxError("JSON that is too deep");
    if (string !== undefined) return JSON.parse(string);
    if (number !== undefined) return /[.eE]/.test(number) ? Number(number) : BigInt(number);
    if (word !== undefined) return WORDS[word];
    if (mark === "[") return list(depth + 1);
    if (mark === "{") return object(depth + 1);
    throw new SyntaxError(`no value at ${at}`);
  };
  const list = (depth: number) => {
    const items = [];
    let found = next();
    while (found[1] !== "]") {
      items.push(value(found, depth));
      const mark = next()[1];
      if (mark === "]") break;
      if (mark !== ",") throw new SyntaxError(`no comma at ${at}`);
      found = next();
    }
    return items;
  };
  const object = (depth: number) => {
    const members: [string, any][] = [];
    let found = next();
    while (found[1] !== "}") {
      if (found[2] === undefined || next()[1] !== ":") throw new SyntaxError(`no member at ${at}`);
      members.push([JSON.parse(found[2]), value(next(), depth)]);
      const mark = next()[1];
      if (mark === "}") break;
      if (mark !== ",") throw new SyntaxError(`no comma at ${at}`);
      found = next();
    }
    return Object.fromEntries(members);
  };
  const whole = value(next(), 0);
  if (text.slice(at).trim() !== "") throw new SyntaxError(`more than JSON at ${at}`);
  return whole;
}

/** JSON text of a value. */
export function stringify(value: any): string {
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "number") return number(value);
  if (Array.isArray(value)) return `[${value.map(stringify).join(",")}]`;
  if (value !== null && typeof value === "object") {
    const members = Object.entries(value).filter(([, one]) => one !== undefined);
    return `{${members.map(([name, one]) => `${JSON.stringify(name)}:${stringify(one)}`).join(",")}}`;
  }
  return JSON.stringify(value ?? null);
}

function number(value: number) {
  if (!Number.isFinite(value)) return value > 0 ? "1e999" : value < 0 ? "-1e999" : "null";
  return /[.e]/.test(`${value}`) ? `${value}` : `${Object.is(value, -0) ? "-0" : value}.0`;
}

/** The value of a text that is JSON; undefined where it is none. */
export function read(text: any): any {
  try {
    return typeof text === "string" ? parse(text) : undefined;
  } catch {
    return undefined;
  }
}
