// npm install @ai-sdk/openai@4.0.118 ai

// errors.refusal_after_text/blocking on openai-chat, without the harness: this program is the provider, too.

import { createServer } from "node:http";
import { inspect } from "node:util";

import { createOpenAI } from "@ai-sdk/openai";
import { generateText, jsonSchema, tool } from "ai";

const ANSWERS = [
  [
    200,
    { "content-type": "application/json" },
    [
      '{"id":"chatcmpl-ywfsJKkaoEhfoFH8NBjXP5pH","object":"chat.completion","created":1760000000,"mo' +
        'del":"test-model","choices":[{"index":0,"message":{"role":"assistant","content":"The exploit ' +
        'abuses an unchecked length.","refusal":"I can\'t run it."},"logprobs":null,"finish_reason":"s' +
        'top"}],"usage":{"prompt_tokens":11,"completion_tokens":7,"total_tokens":18}}',
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

const messages = [{ role: "user", content: "Explain the exploit, then run it." }];
const tools = {
  run_shell_command: tool({
    description: "Execute a shell command",
    inputSchema: jsonSchema({
      type: "object",
      properties: {
        command: { type: "string", description: "The command line to run" },
        directory: { type: "string", description: "Where to run it" },
        description: { type: "string", description: "What it is for" },
      },
      required: ["command"],
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

// common.parse.text-kept: The text of an answer without calls is read whole and unchanged.
//   at:       /text in what the library makes of answer 1
//   expected: The exploit abuses an unchecked length.
//   found:    The exploit abuses an unchecked length.I can't run it.
//   harness:  conformance run env:ai-sdk-openai --provider openai-chat --scenario errors.refusal_after_text --delivery blocking --rule common.parse.text-kept
