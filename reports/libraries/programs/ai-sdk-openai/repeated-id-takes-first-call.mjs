// npm install @ai-sdk/openai@4.0.118 ai

// quirks.repeated_id/blocking on openai-chat, without the harness: this program is the provider, too.

import { createServer } from "node:http";
import { inspect } from "node:util";

import { createOpenAI } from "@ai-sdk/openai";
import { generateText, jsonSchema, tool } from "ai";

const ANSWERS = [
  [
    200,
    { "content-type": "application/json" },
    [
      '{"id":"chatcmpl-g58araQLmCntSwYWRcZ3dbpc","object":"chat.completion","created":1760000000,"mo' +
        'del":"test-model","choices":[{"index":0,"message":{"role":"assistant","content":null,"refusal' +
        '":null,"tool_calls":[{"id":"call_TTfpTsDEo6FaHURW2SB7SNqM","type":"function","function":{"nam' +
        'e":"read_file","arguments":"{\\"absolute_path\\":\\"/srv/a.txt\\"}"}},{"id":"call_TTfpTsDEo6F' +
        'aHURW2SB7SNqM","type":"function","function":{"name":"read_file","arguments":"{\\"absolute_pat' +
        'h\\":\\"/srv/b.txt\\"}"}}]},"logprobs":null,"finish_reason":"tool_calls"}],"usage":{"prompt_t' +
        'okens":11,"completion_tokens":7,"total_tokens":18}}',
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
//   harness:  conformance run env:ai-sdk-openai --provider openai-chat --scenario quirks.repeated_id --delivery blocking --rule common.parse.args-types-preserved
