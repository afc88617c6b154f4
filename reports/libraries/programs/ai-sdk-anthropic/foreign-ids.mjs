// npm install @ai-sdk/anthropic@4.0.105 ai

// handoff.odd_id/blocking on anthropic, without the harness: this program is the provider, too.

import { createServer } from "node:http";
import { inspect } from "node:util";

import { createAnthropic } from "@ai-sdk/anthropic";
import { generateText, jsonSchema, tool } from "ai";

const ANSWERS = [
  [
    200,
    { "content-type": "application/json" },
    [
      '{"model":"test-model","id":"msg_TXh8J2goVY4sS54hWoJiZaHU","type":"message","role":"assistant"' +
        ',"content":[{"type":"text","text":"Yes, it is."}],"stop_reason":"end_turn","stop_sequence":nu' +
        'll,"stop_details":null,"usage":{"input_tokens":11,"cache_creation_input_tokens":0,"cache_read' +
        '_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":' +
        '0},"output_tokens":7,"service_tier":"standard"}}',
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

const messages = [
  { role: "user", content: "What is the port?" },
  {
    role: "assistant",
    content: [
      {
        type: "tool-call",
        toolCallId: "functions.read_file:0/é",
        toolName: "read_file",
        input: { absolute_path: "/srv/app/config.yaml" },
      },
    ],
  },
  {
    role: "tool",
    content: [
      {
        type: "tool-result",
        toolCallId: "functions.read_file:0/é",
        toolName: "read_file",
        output: { type: "text", value: "port: 8080\n" },
      },
    ],
  },
  { role: "assistant", content: [{ type: "text", text: "It is 8080." }] },
  { role: "user", content: "Is that above 1024?" },
];
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

// anthropic.ids.pattern-and-uniqueness: tool_use.id matches ^[a-zA-Z0-9_-]+$ and is unique in its assistant
//   turn; foreign ids are mapped deterministically on both sides.
//   at:       /messages/1/content/0/id in request 1
//   expected: an id that matches ^[a-zA-Z0-9_-]+$
//   found:    functions.read_file:0/é
//   harness:  conformance run env:ai-sdk-anthropic --provider anthropic --scenario handoff.odd_id --delivery blocking --rule anthropic.ids.pattern-and-uniqueness
