// npm install @ai-sdk/anthropic@4.0.105 ai

// quirks.repeated_id/blocking on anthropic, without the harness: this program is the provider, too.

import { createServer } from "node:http";
import { inspect } from "node:util";

import { createAnthropic } from "@ai-sdk/anthropic";
import { generateText, jsonSchema, tool } from "ai";

const ANSWERS = [
  [
    200,
    { "content-type": "application/json" },
    [
      '{"model":"test-model","id":"msg_g58araQLmCntSwYWRcZ3dbpc","type":"message","role":"assistant"' +
        ',"content":[{"type":"tool_use","id":"toolu_TTfpTsDEo6FaHURW2SB7SNqM","name":"read_file","inpu' +
        't":{"absolute_path":"/srv/a.txt"}},{"type":"tool_use","id":"toolu_TTfpTsDEo6FaHURW2SB7SNqM","' +
        'name":"read_file","input":{"absolute_path":"/srv/b.txt"}}],"stop_reason":"tool_use","stop_seq' +
        'uence":null,"stop_details":null,"usage":{"input_tokens":11,"cache_creation_input_tokens":0,"c' +
        'ache_read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input' +
        '_tokens":0},"output_tokens":7,"service_tier":"standard"}}',
    ],
  ],
];

const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk;
  console.log(`\n--> ${request.method} ${request.url}\n${body}`);
  const [status, headers, chunks] = ANSWERS.length > 1 ? ANSWERS.shift() : ANSWERS[0];
  response.writeHead(status, headers);
  for (const chunk of chunks) response.write(chunk);
  response.end();
});
await new Promise((started) => server.listen(0, "127.0.0.1", started));
const BASE_URL = `http://127.0.0.1:${server.address().port}`;

const provider = createAnthropic({ baseURL: BASE_URL + "/v1", apiKey: "test-key" });
const model = provider("claude-sonnet-4-5");

const messages = [{ role: "user", content: "Compare a.txt with b.txt." }];
const tools = {
  read_file: tool({
    description: "Read a file",
    inputSchema: jsonSchema({
      type: "object",
      properties: {
        absolute_path: { type: "string", description: "The absolute path of the file" },
        offset: { type: "integer", description: "The first line to read" },
        limit: { type: "integer", description: "How many lines to read" },
      },
      required: ["absolute_path"],
    }),
  }),
};

async function ask() {
  const { text, toolCalls, finishReason, usage, response } = await generateText({
    model,
    messages,
    tools,
    maxOutputTokens: 1024,
    maxRetries: 0,
  });
  return { text, toolCalls, finishReason, usage, messages: response.messages };
}

let answer = await ask();
console.log("\n<--", inspect(answer, { depth: null }));

server.close();

// common.parse.args-types-preserved: Nested arguments keep JSON types: null, true/false, arrays, nested objects,
//   empty string, empty array; missing keys are not filled with null.
//   at:       /calls/1/arguments/absolute_path in what the library makes of answer 1
//   expected: /srv/b.txt
//   found:    /srv/a.txt
//   harness:  conformance run env:ai-sdk-anthropic --provider anthropic --scenario quirks.repeated_id --delivery blocking --rule common.parse.args-types-preserved
