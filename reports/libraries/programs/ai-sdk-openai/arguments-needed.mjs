// npm install @ai-sdk/openai@4.0.118 ai

// no_arguments.missing/blocking on openai-chat, without the harness: this program is the provider, too.

import { createServer } from "node:http";
import { inspect } from "node:util";

import { createOpenAI } from "@ai-sdk/openai";
import { generateText, jsonSchema, tool } from "ai";

const ANSWERS = [
  [
    200,
    { "content-type": "application/json" },
    [
      '{"id":"chatcmpl-YMipHNQDQAU6FtdGq8ggDNZo","object":"chat.completion","created":1760000000,"mo' +
        'del":"test-model","choices":[{"index":0,"message":{"role":"assistant","content":null,"refusal' +
        '":null,"tool_calls":[{"id":"call_3K3TjVWnJPYmgaKkeUDN6vDA","type":"function","function":{"nam' +
        'e":"git_status"}}]},"logprobs":null,"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":1' +
        '1,"completion_tokens":7,"total_tokens":18}}',
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

const messages = [{ role: "user", content: "Is the tree clean?" }];
const tools = {
  git_status: tool({
    description: "Show the state of the working tree",
    inputSchema: jsonSchema({
      type: "object",
      properties: { path: { type: "string", description: "Only below this path" } },
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

// common.parse.empty-arguments: A call without arguments ("", "{}", {}, missing, null where the wire allows)
//   parses to args == {} and is not dropped.
//   at:       (whole) in what the library makes of answer 1
//   expected: the turn that the provider sent
//   found:    complete raised AI_APICallError: Invalid JSON response
//   harness:  conformance run env:ai-sdk-openai --provider openai-chat --scenario no_arguments.missing --delivery blocking --rule common.parse.empty-arguments
