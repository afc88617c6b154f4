// npm install @ai-sdk/anthropic@4.0.105 ai

// quirks.unknown_fields/blocking on anthropic, without the harness: this program is the provider, too.

import { createServer } from "node:http";
import { inspect } from "node:util";

import { createAnthropic } from "@ai-sdk/anthropic";
import { generateText, jsonSchema, tool } from "ai";

const ANSWERS = [
  [
    200,
    { "content-type": "application/json" },
    [
      '{"model":"test-model","id":"msg_q4ecTmH3qcAMxCNjtRag9DxD","type":"message","role":"assistant"' +
        ',"content":[{"type":"x_unknown_block","data":{"nested":[1]},"x_unknown":{"nested":[1]}},{"typ' +
        'e":"text","text":"I will.","x_unknown":{"nested":[1]}},{"type":"tool_use","id":"toolu_JfJz6H2' +
        'Eeh7RuXSzH3zVSW9v","name":"read_file","input":{"absolute_path":"/srv/a.txt"},"x_unknown":{"ne' +
        'sted":[1]}}],"stop_reason":"tool_use","stop_sequence":null,"stop_details":null,"usage":{"inpu' +
        't_tokens":11,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"cache_creation":{"e' +
        'phemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0},"output_tokens":7,"service_tier":"' +
        'standard","x_unknown":{"nested":[1]}},"x_unknown":{"nested":[1]}}',
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

const messages = [{ role: "user", content: "Read a.txt." }];
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

// common.parse.unknown-fields-tolerated: Unknown response fields, block/item/event types and enum values are
//   ignored or kept opaque, never fatal.
//   at:       (whole) in what the library makes of answer 1
//   expected: the turn that the provider sent
//   found:    complete raised AI_APICallError: Invalid JSON response
//   harness:  conformance run env:ai-sdk-anthropic --provider anthropic --scenario quirks.unknown_fields --delivery blocking --rule common.parse.unknown-fields-tolerated
