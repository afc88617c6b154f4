// npm install @langchain/openai@1.6.0 @langchain/core

// quirks.legacy_function_call/blocking on openai-chat, without the harness: this program is the provider, too.

import { createServer } from "node:http";
import { inspect } from "node:util";

import { HumanMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";

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

const model = new ChatOpenAI({
  model: "test-model",
  maxTokens: 1024,
  maxRetries: 0,
  apiKey: "test-key",
  configuration: { baseURL: BASE_URL + "/v1" },
});

const messages = [new HumanMessage("Show me the licence.")];
const tools = [
  {
    type: "function",
    function: {
      name: "read_file",
      description: "Read a file",
      parameters: {
        type: "object",
        properties: {
          absolute_path: { type: "string", description: "The absolute path of the file" },
          offset: { type: "integer", description: "The first line to read" },
          limit: { type: "integer", description: "How many lines to read" },
        },
        required: ["absolute_path"],
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

// common.parse.args-decoded-object: Every parsed call exposes arguments as a decoded JSON object equal to what
//   the provider sent, whether the wire carried a JSON string or an object.
//   at:       /calls in what the library makes of answer 1
//   expected: a call of read_file
//   found:    no such call
//   harness:  conformance run env:langchain-js-openai --provider openai-chat --scenario quirks.legacy_function_call --delivery blocking --rule common.parse.args-decoded-object
