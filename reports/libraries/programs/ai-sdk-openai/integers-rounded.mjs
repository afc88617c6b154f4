// npm install @ai-sdk/openai@4.0.118 ai

// arguments.big_integers/blocking on openai-chat, without the harness: this program is the provider, too.

import { createServer } from "node:http";
import { inspect } from "node:util";

import { createOpenAI } from "@ai-sdk/openai";
import { generateText, jsonSchema, tool } from "ai";

const ANSWERS = [
  [
    200,
    { "content-type": "application/json" },
    [
      '{"id":"chatcmpl-4h4w42gnXX7Vu7yKEbVJMyUg","object":"chat.completion","created":1760000000,"mo' +
        'del":"test-model","choices":[{"index":0,"message":{"role":"assistant","content":null,"refusal' +
        '":null,"tool_calls":[{"id":"call_UZgpEaZNG2VJHTKx3vDbgLHa","type":"function","function":{"nam' +
        'e":"query_orders","arguments":"{\\"filter\\":{\\"tweet\\":9007199254740993,\\"account\\":-922' +
        '3372036854775808,\\"ids\\":[1844674407370955161,9223372036854775807]}}"}}]},"logprobs":null,"' +
        'finish_reason":"tool_calls"}],"usage":{"prompt_tokens":11,"completion_tokens":7,"total_tokens' +
        '":18}}',
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

const messages = [{ role: "user", content: "Show the order of this tweet." }];
const tools = {
  query_orders: tool({
    description: "Search orders with a filter of any shape",
    inputSchema: jsonSchema({
      type: "object",
      properties: {
        filter: { type: "object", description: "The conditions" },
        include_items: { type: "boolean", description: "Whether to list the items of each order" },
        dry_run: { type: "boolean", description: "Whether only to count" },
      },
      required: ["filter"],
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

// common.parse.integers-above-2-53: Integer arguments above 2^53 are not rounded by the adapter: these wires
//   carry them as JSON text, which is exact.
//   at:       /calls/0/arguments/filter/tweet in what the library makes of answer 1
//   expected: 9007199254740993
//   found:    9007199254740992
//   harness:  conformance run env:ai-sdk-openai --provider openai-chat --scenario arguments.big_integers --delivery blocking --rule common.parse.integers-above-2-53
