// npm install @ai-sdk/openai@4.0.118 ai

// quirks.signed_calls/blocking on openai-chat, without the harness: this program is the provider, too.

import { createServer } from "node:http";
import { inspect } from "node:util";

import { createOpenAI } from "@ai-sdk/openai";
import { generateText, jsonSchema, tool } from "ai";

const ANSWERS = [
  [
    200,
    { "content-type": "application/json" },
    [
      '{"id":"chatcmpl-RKA8qYmcXjQd4BcmVScXpaer","object":"chat.completion","created":1760000000,"mo' +
        'del":"gemini-3-pro-preview","choices":[{"index":0,"message":{"role":"assistant","content":nul' +
        'l,"refusal":null,"tool_calls":[{"id":"call_XgxGoirciUgcX9ddUqWfeBjK","type":"function","funct' +
        'ion":{"name":"read_file","arguments":"{\\"absolute_path\\":\\"/srv/app/config.toml\\"}"},"ext' +
        'ra_content":{"google":{"thought_signature":"+//qNamcsdwQ6+eMm4dFQztIGHoVq8WqpQfT42KYu2TU/toGE' +
        'jn9+eota1UorkqY5XWJ7yyrjo9QkNGunS/647/gkB9iwzf4/pC3TudOEqPktcJ8eaKOh4L55NUfT4ch9DU="}}},{"id"' +
        ':"call_GrmMUD5m4Bz3QBqwkJWhiBD7","type":"function","function":{"name":"search_file_content","' +
        'arguments":"{\\"pattern\\":\\"port\\\\\\\\s*=\\"}"},"extra_content":{"google":{"thought_signa' +
        'ture":"+/9y9yLZpKzaURdcmUUKKBBksmz3jYvUigC67CBlqEanE56nP1EjVVJN6tjpvbRzsD4ess4C5yMDE9fFK4Lc7Q' +
        'SHUMxNfOqFcZ5i6wA5UX+2oeVQiA3fj0pMAAUTH1J4o9c="}}}]},"logprobs":null,"finish_reason":"tool_ca' +
        'lls"}],"usage":{"prompt_tokens":11,"completion_tokens":7,"total_tokens":18}}',
    ],
  ],
  [
    200,
    { "content-type": "application/json" },
    [
      '{"id":"chatcmpl-7rfLMc9YibP8xbAzk7EaRXbP","object":"chat.completion","created":1760000000,"mo' +
        'del":"gemini-3-pro-preview","choices":[{"index":0,"message":{"role":"assistant","content":"In' +
        ' config.toml, on its first line.","refusal":null},"logprobs":null,"finish_reason":"stop"}],"u' +
        'sage":{"prompt_tokens":11,"completion_tokens":7,"total_tokens":18}}',
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
const model = provider.chat("gemini-3-pro-preview");

const messages = [{ role: "user", content: "Where is the port set?" }];
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
  search_file_content: tool({
    description: "Search file contents with a regular expression",
    inputSchema: jsonSchema({
      type: "object",
      properties: {
        pattern: { type: "string", description: "A regular expression" },
        path: { type: "string", description: "Where to search" },
        include: { type: "string", description: "A glob pattern of files to search" },
        max_matches: { type: "integer", description: "When to stop" },
      },
      required: ["pattern"],
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
messages.push(...answer.messages);
let calls = answer.messages
  .flatMap((message) => message.content)
  .filter((part) => part.type === "tool-call" && !part.providerExecuted);
messages.push({
  role: "tool",
  content: [
    {
      type: "tool-result",
      toolCallId: calls[0].toolCallId,
      toolName: "read_file",
      output: { type: "text", value: "port = 8080" },
    },
    {
      type: "tool-result",
      toolCallId: calls[1].toolCallId,
      toolName: "search_file_content",
      output: { type: "text", value: "/srv/app/config.toml:1: port = 8080" },
    },
  ],
});
answer = await ask();
console.log("\n<--", inspect(answer, { depth: null }));

server.close();

// compat.history.gemini-openai-thought-signature: On Gemini's OpenAI-compatible endpoint
//   tool_calls[].extra_content.google.thought_signature is replayed unchanged.
//   at:       /messages/1/tool_calls/0/extra_content/google/thought_signature in request 2
//   expected: +//qNamcsdwQ6+eMm4dFQztIGHoVq8WqpQfT42KYu2TU/toGEjn9+eota1UorkqY5XWJ7yyrjo9QkNGunS/647/gkB9iwzf4/pC3TudOEqPktcJ8eaKOh4L55NUfT4ch9DU=
//   found:    null
//   harness:  conformance run env:ai-sdk-openai --provider openai-chat --scenario quirks.signed_calls --delivery blocking --rule compat.history.gemini-openai-thought-signature
