// Features of releases: what a capability, or a provider, needs of the library that is installed.
//
// A need is written `module:name.name`: what the module hands on under a name, looked up by importing it; or
// `module:Type(member)`: a member of a type that the module's definitions declare. `*` stands for any part of its name.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** By capability or provider, what it needs. Where there are several, all are needed. */
export type Needs = { [what: string]: string[] };

const NEED = /^([^:]+):([\w.*]+)(?:\((\w+)\))?$/;

/** Whether the installed release has what is needed. */
export async function has(need: string): Promise<boolean> {
  const [, module, name, member] = NEED.exec(need) ?? [];
  if (!module || !name) throw new Error(`${need} is no need: write module:name, or module:Type(member)`);
  return member === undefined ? await handsOn(module, name) : declares(module, name, member);
}

/** What the installed release lacks, each with the first need that is not there. */
export async function lacking(needs: Needs): Promise<{ [what: string]: string }> {
  const lacks: { [what: string]: string } = {};
  for (const [what, wanted] of Object.entries(needs)) {
    for (const need of wanted) if (!(what in lacks) && !(await has(need))) lacks[what] = need;
  }
  return lacks;
}

async function handsOn(module: string, name: string): Promise<boolean> {
  let found: any = await import(module).catch(() => undefined);
  for (const part of name.split(".")) found = found?.[part];
  return found !== undefined;
}

/** Whether the definitions of a module have a type of that name with the member. */
function declares(module: string, name: string, member: string): boolean {
  const text = definitions(module);
  const begins = new RegExp(String.raw`\b(?:type|interface|class) ${name.replaceAll("*", String.raw`\w*`)}\b`, "g");
  const has = new RegExp(String.raw`^\s*(?:readonly )?${member}\??:`, "m");
  return Array.from(text.matchAll(begins), ({ index }) => bodyAt(text, index)).some((body) => has.test(body));
}

/** What stands between the braces of a declaration. Those of its own text, in comments, are in pairs. */
function bodyAt(text: string, at: number): string {
  const begin = text.indexOf("{", at);
  for (let place = begin, depth = 0; place >= 0 && place < text.length; place += 1) {
    if (text[place] === "{") depth += 1;
    if (text[place] === "}" && (depth -= 1) === 0) return text.slice(begin, place);
  }
  return "";
}

function definitions(module: string): string {
  try {
    const main = createRequire(import.meta.url).resolve(module);
    return readFileSync(join(dirname(main), "index.d.ts"), "utf8");
  } catch {
    return "";
  }
}
