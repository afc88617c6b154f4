// npm install @langchain/openai@1.6.0 @langchain/core

// no_arguments.missing/blocking on openai-chat, without the harness: this program is the provider, too.

import { createServer } from "node:http";
import { inspect } from "node:util";

import { HumanMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";

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

const model = new ChatOpenAI({
  model: "test-model",
  maxTokens: 1024,
  maxRetries: 0,
  apiKey: "test-key",
  configuration: { baseURL: BASE_URL + "/v1" },
});

const messages = [new HumanMessage("Is the tree clean?")];
const tools = [
  {
    type: "function",
    function: {
      name: "git_status",
      description: "Show the state of the working tree",
      parameters: {
        type: "object",
        properties: { path: { type: "string", description: "Only below this path" } },
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

// common.parse.empty-arguments: A call without arguments ("", "{}", {}, missing, null where the wire allows)
//   parses to args == {} and is not dropped.
//   at:       /calls/0/arguments in what the library makes of answer 1
//   expected: {}
//   found:    ""
//   harness:  conformance run env:langchain-js-openai --provider openai-chat --scenario no_arguments.missing --delivery blocking --rule common.parse.empty-arguments
