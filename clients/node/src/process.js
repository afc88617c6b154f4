// `conformance serve` as a child: started, read until it says where it is, and ended.

import { spawn } from "node:child_process";

const VARIABLE = "CONFORMANCE_PYTHON";
const START_MS = 60_000;
const END_MS = 10_000;

/** Pythons that are tried, the first that has the package wins. */
function candidates(asked) {
  return asked ? [asked] : process.env[VARIABLE] ? [process.env[VARIABLE]] : ["python3", "python"];
}

/** Why no Python could be used, with what to do. */
export class PythonNotFoundError extends Error {
  constructor(tried) {
    const why = tried.map(([python, reason]) => `  ${python}: ${reason}`).join("\n");
    super(
      `no Python with toolcall-conformance was found:\n${why}\n` +
        `Install it (pip install toolcall-conformance), and name that Python in ${VARIABLE} or in the option "python".`,
    );
    this.name = "PythonNotFoundError";
  }
}

/** The child did not begin, or ended too soon. `output` is all that it said. */
export class ServeError extends Error {
  constructor(message, output) {
    super(output ? `${message}\n${output}` : message);
    this.name = "ServeError";
    this.output = output;
  }
}

/** What a command prints. Rejects with `PythonNotFoundError` where no Python has the package. */
export async function conformance(python, words) {
  const tried = [];
  for (const candidate of candidates(python)) {
    const done = await run(candidate, ["-m", "conformance", ...words]);
    if (done.code === 0) return { python: candidate, output: done.output };
    if (!done.missing) throw new ServeError(`conformance ${words.join(" ")} ended with code ${done.code}`, done.errors);
    tried.push([candidate, done.missing]);
  }
  throw new PythonNotFoundError(tried);
}

function run(command, words) {
  return new Promise((resolve) => {
    const child = spawn(command, words, { stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    let errors = "";
    child.stdout.setEncoding("utf8").on("data", (text) => (output += text));
    child.stderr.setEncoding("utf8").on("data", (text) => (errors += text));
    child.on("error", (problem) => resolve({ missing: problem.code === "ENOENT" ? "there is no such command" : problem.message }));
    child.on("close", (code) => {
      const missing = /No module named conformance/.test(errors) ? "it has no module conformance" : undefined;
      resolve({ code, output, errors, missing });
    });
  });
}

/** `conformance serve` with these words, on a free port. Resolves when it says where it is. */
export function startServe(python, words, env) {
  const child = spawn(python, ["-m", "conformance", "serve", "--port", "0", ...words], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  const child_ = new Child(child);
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      child.kill("SIGKILL");
      reject(new ServeError(`conformance serve did not start within ${START_MS / 1000} s`, child_.output));
    }, START_MS);
    child_.onLine = (line) => {
      if (!line.startsWith("http://")) return;
      clearTimeout(late);
      resolve([line.trim(), child_]);
    };
    child.on("error", (problem) => reject(new ServeError(`${python}: ${problem.message}`, "")));
    child.on("close", (code) => {
      clearTimeout(late);
      reject(new ServeError(`conformance serve ended with code ${code}`, child_.output));
    });
  });
}

class Child {
  output = "";
  onLine = () => {};
  #child;
  #ended;
  #killer;

  constructor(child) {
    this.#child = child;
    this.#ended = new Promise((resolve) => child.on("close", (code) => resolve(code)));
    this.#killer = () => child.kill("SIGTERM");
    process.once("exit", this.#killer);
    let rest = "";
    child.stdout.setEncoding("utf8").on("data", (text) => {
      this.output += text;
      const lines = (rest + text).split("\n");
      rest = lines.pop();
      lines.forEach((line) => this.onLine(line));
    });
    child.stderr.setEncoding("utf8").on("data", (text) => (this.output += text));
  }

  /** End it as Ctrl-C does. Resolves to its exit code. */
  async end() {
    process.removeListener("exit", this.#killer);
    this.#child.kill("SIGTERM");
    const late = setTimeout(() => this.#child.kill("SIGKILL"), END_MS);
    const code = await this.#ended;
    clearTimeout(late);
    return code;
  }
}
