// npm install @ai-sdk/openai@4.0.118 ai

// quirks.legacy_function_call/blocking on openai-chat, without the harness: this program is the provider, too.

import { createServer } from "node:http";
import { inspect } from "node:util";

import { createOpenAI } from "@ai-sdk/openai";
import { generateText, jsonSchema, tool } from "ai";

const ANSWERS = [
  [
    200,
    { "content-type": "application/json" },
    [
      '{"id":"chatcmpl-Bqy5a3LczDSUYCxd5ejcVGnW","object":"chat.completion","created":1760000000,"mo' +
        'del":"test-model","choices":[{"index":0,"message":{"role":"assistant","content":null,"refusal' +
        '":null,"function_call":{"name":"read_file","arguments":"{\\"absolute_path\\":\\"/srv/app/LICE' +
        'NSE\\"}"}},"logprobs":null,"finish_reason":"function_call"}],"usage":{"prompt_tokens":11,"com' +
        'pletion_tokens":7,"total_tokens":18}}',
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

const messages = [{ role: "user", content: "Show me the licence." }];
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

// common.parse.args-decoded-object: Every parsed call exposes arguments as a decoded JSON object equal to what
//   the provider sent, whether the wire carried a JSON string or an object.
//   at:       /calls in what the library makes of answer 1
//   expected: a call of read_file
//   found:    no such call
//   harness:  conformance run env:ai-sdk-openai --provider openai-chat --scenario quirks.legacy_function_call --delivery blocking --rule common.parse.args-decoded-object
