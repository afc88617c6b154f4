// npm install @ai-sdk/openai@4.0.118 ai

// handoff.long_id/blocking on openai-chat, without the harness: this program is the provider, too.

import { createServer } from "node:http";
import { inspect } from "node:util";

import { createOpenAI } from "@ai-sdk/openai";
import { generateText, jsonSchema, tool } from "ai";

const ANSWERS = [
  [
    200,
    { "content-type": "application/json" },
    [
      '{"id":"chatcmpl-5jejCGHekBgGg9FArWDjXvV6","object":"chat.completion","created":1760000000,"mo' +
        'del":"test-model","choices":[{"index":0,"message":{"role":"assistant","content":"Yes, it is."' +
        ',"refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":11,"comple' +
        'tion_tokens":7,"total_tokens":18}}',
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

const provider = createOpenAI({ baseURL: BASE_URL + "/v1", apiKey: "test-key" });
const model = provider.chat("test-model");

const messages = [
  { role: "user", content: "What is the port?" },
  {
    role: "assistant",
    content: [
      {
        type: "tool-call",
        toolCallId: "call_7f3b9c1e5d2a4860b1c3d5e7f9a1b3c5d7e9f1a3b5c7d9e1f3a5b7c9d1e3f5a7b9c1d3e5",
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
        toolCallId: "call_7f3b9c1e5d2a4860b1c3d5e7f9a1b3c5d7e9f1a3b5c7d9e1f3a5b7c9d1e3f5a7b9c1d3e5",
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

// chat.ids.max-length: tool_calls[].id and tool_call_id are at most 64 characters; foreign ids are shortened
//   deterministically on both sides (SHOULD stay <= 40: older models/Azure/Copilot still enforce 40).
//   at:       /messages/1/tool_calls/0/id in request 1
//   expected: at most 64 characters
//   found:    call_7f3b9c1e5d2a4860b1c3d5e7f9a1b3c5d7e9f1a3b5c7d9e1f3a5b7c9d1e3f5a7b9c1d3e5 (77 characters)
//   harness:  conformance run env:ai-sdk-openai --provider openai-chat --scenario handoff.long_id --delivery blocking --rule chat.ids.max-length
