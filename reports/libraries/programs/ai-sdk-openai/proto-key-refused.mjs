// npm install @ai-sdk/openai@4.0.118 ai

// arguments.odd_keys/blocking on openai-chat, without the harness: this program is the provider, too.

import { createServer } from "node:http";
import { inspect } from "node:util";

import { createOpenAI } from "@ai-sdk/openai";
import { generateText, jsonSchema, tool } from "ai";

const ANSWERS = [
  [
    200,
    { "content-type": "application/json" },
    [
      '{"id":"chatcmpl-i5ji7jtiZYpJoaqru5qoshFq","object":"chat.completion","created":1760000000,"mo' +
        'del":"test-model","choices":[{"index":0,"message":{"role":"assistant","content":null,"refusal' +
        '":null,"tool_calls":[{"id":"call_WGPeUCGnKnWjyHekLdyWwWfD","type":"function","function":{"nam' +
        'e":"query_orders","arguments":"{\\"filter\\":{\\"id\\":1,\\"Id\\":2,\\"ID\\":3,\\"a.b\\":4,\\' +
        '"a b\\":5,\\"$ref\\":6,\\"__proto__\\":7,\\"größe\\":8,\\"x/y~z\\":9,\\"0\\":10}}"}}]},"logpr' +
        'obs":null,"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":11,"completion_tokens":7,"t' +
        'otal_tokens":18}}',
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

const messages = [{ role: "user", content: "Run the query with these headers." }];
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

// common.parse.args-decoded-object: Every parsed call exposes arguments as a decoded JSON object equal to what
//   the provider sent, whether the wire carried a JSON string or an object.
//   at:       /calls/0/arguments in what the library makes of answer 1
//   expected: {"filter": {"id": 1, "Id": 2, "ID": 3, "a.b": 4, "a b": 5, "$ref": 6, "__proto__": 7, "größe": 8, "x/y~z": 9, "0": 10}}
//   found:    "{\"filter\":{\"id\":1,\"Id\":2,\"ID\":3,\"a.b\":4,\"a b\":5,\"$ref\":6,\"__proto__\":7,\"größe\":8,\"x/y~z\":9,\"0\":10}}"
//   harness:  conformance run env:ai-sdk-openai --provider openai-chat --scenario arguments.odd_keys --delivery blocking --rule common.parse.args-decoded-object
