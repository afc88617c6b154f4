// An adapter of functions: what it says of itself, and what it answers. No Python is needed.

import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";

import { fromFunctions } from "../src/functions.js";

const ONE = {
  parseToolCalls: (body) => body.calls,
  buildToolResults: async (calls, outputs) => outputs.map((output) => ({ id: output.id, of: calls.length })),
};

/** What an adapter answers to messages, one after the other. */
async function answers(adapter, ...messages) {
  const input = new PassThrough();
  const output = new PassThrough();
  const lines = messages.map(([method, params], id) => JSON.stringify({ jsonrpc: "2.0", id, method, params }));
  input.end(`${lines.join("\n")}\n`);
  await adapter.serve(input, output);
  return output.read().toString().trim().split("\n").map((line) => JSON.parse(line));
}

const apply = (name, ...given) => ["apply", { provider: "anthropic", function: name, arguments_json: JSON.stringify(given) }];

test("it introduces itself with its functions, and answers for them", async () => {
  const adapter = fromFunctions({ name: "mine", providers: { anthropic: ONE } });
  const said = await answers(
    adapter,
    ["initialize", { protocol: 1 }],
    apply("parse_tool_calls", { calls: [{ id: "a", name: "b", input: {} }] }),
    apply("build_tool_results", [{ id: "a" }], [{ id: "a", outputText: "x" }]),
    ["shutdown", {}],
  );
  assert.deepEqual(said.map((one) => one.id), [0, 1, 2, 3]);
  const { adapter: info } = said[0].result;
  assert.equal(info.kind, "functions");
  assert.deepEqual(info.functions, { anthropic: ["parse_tool_calls", "build_tool_results"] });
  assert.ok(!info.providers.anthropic.includes("streaming"));
  assert.deepEqual(said[1].result, { value: [{ id: "a", name: "b", input: {} }] });
  assert.deepEqual(said[2].result, { value: [{ id: "a", of: 1 }] });
  assert.equal(said[3].result, null);
});

test("what a function throws is told, with where", async () => {
  const broken = { ...ONE, parseToolCalls: () => undefined.calls };
  const [said, unknown] = await answers(
    fromFunctions({ name: "mine", providers: { anthropic: broken } }),
    apply("parse_tool_calls", {}),
    ["complete", {}],
  );
  assert.match(said.error.message, /TypeError: Cannot read/);
  assert.match(said.error.data.detail, /functions\.test\.js/);
  assert.equal(unknown.error.code, -32601);
});

test("an accumulator declares streaming, and JSON is read as the application reads it", async () => {
  const seen = [];
  const streams = { ...ONE, readStream: (events) => (seen.push(...events), { text: "", calls: [] }) };
  const adapter = fromFunctions({ name: "mine", providers: { anthropic: streams }, parseJson: () => [["read"]] });
  assert.ok(adapter.info.providers.anthropic.includes("streaming"));
  await answers(adapter, apply("read_stream", [1]));
  assert.deepEqual(seen, ["read"]);
});

test("what is missing or misspelled is said at once", () => {
  assert.throws(() => fromFunctions({ name: "mine" }), /give a name, and providers/);
  assert.throws(() => fromFunctions({ name: "mine", providers: { anthropic: {} } }), /anthropic: needs parseToolCalls/);
  const misspelled = { ...ONE, readStreams: () => null };
  assert.throws(() => fromFunctions({ name: "mine", providers: { anthropic: misspelled } }), /readStreams is none of/);
});
