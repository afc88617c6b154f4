// npm install @langchain/openai@1.6.0 @langchain/core

// errors.refusal/blocking on openai-chat, without the harness: this program is the provider, too.

import { createServer } from "node:http";
import { inspect } from "node:util";

import { HumanMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";

const ANSWERS = [
  [
    200,
    { "content-type": "application/json" },
    [
      '{"id":"chatcmpl-DzsQLnPBPYPGpiWZixMg9tF7","object":"chat.completion","created":1760000000,"mo' +
        'del":"test-model","choices":[{"index":0,"message":{"role":"assistant","content":null,"refusal' +
        '":"I can\'t help with getting into other people\'s devices."},"logprobs":null,"finish_reason"' +
        ':"stop"}],"usage":{"prompt_tokens":11,"completion_tokens":7,"total_tokens":18}}',
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

const model = new ChatOpenAI({
  model: "test-model",
  maxTokens: 1024,
  maxRetries: 0,
  apiKey: "test-key",
  configuration: { baseURL: BASE_URL + "/v1" },
});

const messages = [new HumanMessage("Break into my neighbour's router.")];
const tools = [
  {
    type: "function",
    function: {
      name: "run_shell_command",
      description: "Execute a shell command",
      parameters: {
        type: "object",
        properties: {
          command: { type: "string", description: "The command line to run" },
          directory: { type: "string", description: "Where to run it" },
          description: { type: "string", description: "What it is for" },
        },
        required: ["command"],
      },
    },
  },
];

async function ask() {
  return model.bindTools(tools).invoke(messages);
}

let answer = await ask();
console.log("\n<--", inspect(answer, { depth: null }));

server.close();

// common.parse.stop-reason: Why an answer without calls ended is told as it was - by itself, at the token limit,
//   by a refusal, for a pause.
//   at:       /stop in what the library makes of answer 1
//   expected: refusal
//   found:    end
//   harness:  conformance run env:langchain-js-openai --provider openai-chat --scenario errors.refusal --delivery blocking --rule common.parse.stop-reason
