// Whether a failure is our shim's or the installation's, and none of the library's own: the same question as
// conformance/adapters/obstructed.py asks of exceptions in Python.

import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

/** What keeps a library from being played. */
export interface Obstacle {
  kind: "misfit" | "installation";
  error: string;
  /** The statement that failed. */
  asked: string;
}

/** Where our own files are: the shim, and its doors beside it. */
const OURS = dirname(fileURLToPath(import.meta.url));
const NOT_FOUND = /^Cannot find (?:package|module) '([^']+)' imported from (.+)$/;
const NOT_EXPORTED = /^The requested module '([^']+)' does not provide an export named '([^']+)'/;

/** What a failure was, if it was none of the library's own. */
export function obstacleOf(problem: unknown): Obstacle | undefined {
  if (!(problem instanceof Error)) return undefined;
  const missing = NOT_FOUND.exec(problem.message);
  if (missing) return toImport(problem, missing[2]!, missing[1]!, `Cannot find package '${missing[1]}'`);
  const unknown = NOT_EXPORTED.exec(problem.message);
  if (unknown) return toImport(problem, firstFile(problem), unknown[1]!, problem.message.split("\n")[0]!);
  const called = problem instanceof TypeError && / is not a (?:function|constructor)$/.test(problem.message);
  return called && isOurs(firstFrame(problem))
    ? { kind: "misfit", error: `TypeError: ${problem.message}`, asked: "" }
    : undefined;
}

/** A module, or a name of one, that is not there: our shim's to know if it asked, else the installation's to bring. */
function toImport(problem: Error, from: string, module: string, words: string): Obstacle {
  const error = `${problem.name}: ${words}`;
  if (isOurs(from)) return { kind: "misfit", error, asked: `import "${module}";` };
  return { kind: "installation", error, asked: `import "${packageOf(from)}";` };
}

function isOurs(place: string): boolean {
  return place.includes(OURS) || place.includes("data:text/javascript");
}

/** The file that the words of a syntax error begin with. */
function firstFile(problem: Error): string {
  return problem.stack?.split("\n")[0] ?? "";
}

function firstFrame(problem: Error): string {
  return problem.stack?.split("\n").find((line) => line.startsWith("    at ")) ?? "";
}

/** The package that a file belongs to. */
function packageOf(file: string): string {
  const [first = "", second = ""] = (file.split("/node_modules/").at(-1) ?? "").split("/");
  return first.startsWith("@") ? `${first}/${second}` : first;
}
