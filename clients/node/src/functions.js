// The smaller door: an adapter from the functions that most projects already have. The harness does the rest.

import { createInterface } from "node:readline";

/** Our names of the functions, by the protocol's. */
const NAMES = {
  parse_tool_calls: "parseToolCalls",
  build_tool_results: "buildToolResults",
  convert_tools: "convertTools",
  read_stream: "readStream",
};
const CAPABILITIES = ["blocking", "error_results", "json_results", "parallel_calls"];

/** An adapter of functions, by provider. Throws a `TypeError` where one that is needed is missing. */
export function fromFunctions({ name, version = "0", homepage, issues, capabilities = CAPABILITIES, parseJson = JSON.parse, providers }) {
  const entries = Object.entries(providers ?? {});
  if (typeof name !== "string" || !entries.length) throw new TypeError("fromFunctions: give a name, and providers");
  for (const [provider, functions] of entries) {
    const known = Object.values(NAMES);
    const unknown = Object.keys(functions).find((one) => !known.includes(one));
    if (unknown) throw new TypeError(`fromFunctions: ${provider}: ${unknown} is none of ${known.join(", ")}`);
    for (const needed of ["parseToolCalls", "buildToolResults"]) {
      if (typeof functions[needed] !== "function") throw new TypeError(`fromFunctions: ${provider}: needs ${needed}`);
    }
  }
  const of = (make) => Object.fromEntries(entries.map(([provider, functions]) => [provider, make(functions)]));
  const info = {
    name, version, homepage, issues, language: "javascript", kind: "functions",
    providers: of((functions) => [...capabilities, ...(functions.readStream ? ["streaming"] : [])]),
    functions: of((functions) => Object.keys(NAMES).filter((one) => functions[NAMES[one]])),
  };
  return { info, serve: (input = process.stdin, output = process.stdout) => serve({ info, providers, parseJson }, input, output) };
}

/** Answer what the harness asks, until it says `shutdown`. */
async function serve({ info, providers, parseJson }, input, output) {
  console.log = console.info = console.debug = console.error; // standard output belongs to the protocol
  const operations = {
    initialize: () => ({ protocol: 1, adapter: info }),
    apply: async ({ provider, function: name, arguments_json }) => {
      const value = await providers[provider][NAMES[name]](...parseJson(arguments_json));
      return { value: value ?? null };
    },
    shutdown: () => null,
  };
  for await (const line of createInterface({ input, crlfDelay: Infinity })) {
    const { id, method, params } = JSON.parse(line);
    const said = await answer(operations[method], method, params);
    output.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...said })}\n`);
    if (method === "shutdown") break;
  }
}

async function answer(operation, method, params) {
  if (!operation) return { error: { code: -32601, message: `there is no method ${method}` } };
  try {
    return { result: await operation(params) };
  } catch (problem) {
    const detail = problem instanceof Error ? problem.stack : undefined;
    return { error: { code: -32000, message: String(problem), data: { detail } } };
  }
}
