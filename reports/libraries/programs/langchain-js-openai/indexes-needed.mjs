// npm install @langchain/openai@1.6.0 @langchain/core

// quirks.index_zero/stream:per-event on openai-chat, without the harness: this program is the provider, too.

import { createServer } from "node:http";
import { inspect } from "node:util";

import { HumanMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";

const ANSWERS = [
  [
    200,
    { "content-type": "text/event-stream; charset=utf-8" },
    [
      'data: {"id":"chatcmpl-CBXsXWuhfauerUr6UNzfy2LF","object":"chat.completion.chunk","created":17' +
        '60000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,"del' +
        'ta":{"role":"assistant","content":null}}]}\n\n',
      'data: {"id":"chatcmpl-CBXsXWuhfauerUr6UNzfy2LF","object":"chat.completion.chunk","created":17' +
        '60000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,"del' +
        'ta":{"tool_calls":[{"index":0,"id":"call_w9Bv3u6QYVSgHnArRufVnUcE","type":"function","functio' +
        'n":{"name":"list_todos","arguments":""}}]}}]}\n\n',
      'data: {"id":"chatcmpl-CBXsXWuhfauerUr6UNzfy2LF","object":"chat.completion.chunk","created":17' +
        '60000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,"del' +
        'ta":{"tool_calls":[{"index":0,"function":{"arguments":"{"}}]}}]}\n\n',
      'data: {"id":"chatcmpl-CBXsXWuhfauerUr6UNzfy2LF","object":"chat.completion.chunk","created":17' +
        '60000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,"del' +
        'ta":{"tool_calls":[{"index":0,"function":{"arguments":"}"}}]}}]}\n\n',
      'data: {"id":"chatcmpl-CBXsXWuhfauerUr6UNzfy2LF","object":"chat.completion.chunk","created":17' +
        '60000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,"del' +
        'ta":{"tool_calls":[{"index":0,"id":"call_vWJtRNfYZ9zKLuB8t5f58tbL","type":"function","functio' +
        'n":{"name":"read_file","arguments":""}}]}}]}\n\n',
      'data: {"id":"chatcmpl-CBXsXWuhfauerUr6UNzfy2LF","object":"chat.completion.chunk","created":17' +
        '60000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,"del' +
        'ta":{"tool_calls":[{"index":0,"function":{"arguments":"{\\"absolut"}}]}}]}\n\n',
      'data: {"id":"chatcmpl-CBXsXWuhfauerUr6UNzfy2LF","object":"chat.completion.chunk","created":17' +
        '60000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,"del' +
        'ta":{"tool_calls":[{"index":0,"function":{"arguments":"e_path\\":\\""}}]}}]}\n\n',
      'data: {"id":"chatcmpl-CBXsXWuhfauerUr6UNzfy2LF","object":"chat.completion.chunk","created":17' +
        '60000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,"del' +
        'ta":{"tool_calls":[{"index":0,"function":{"arguments":"/srv/app/"}}]}}]}\n\n',
      'data: {"id":"chatcmpl-CBXsXWuhfauerUr6UNzfy2LF","object":"chat.completion.chunk","created":17' +
        '60000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,"del' +
        'ta":{"tool_calls":[{"index":0,"function":{"arguments":"OWNERS\\"}"}}]}}]}\n\n',
      'data: {"id":"chatcmpl-CBXsXWuhfauerUr6UNzfy2LF","object":"chat.completion.chunk","created":17' +
        '60000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":"tool_cal' +
        'ls","delta":{}}]}\n\n',
      'data: {"id":"chatcmpl-CBXsXWuhfauerUr6UNzfy2LF","object":"chat.completion.chunk","created":17' +
        '60000000,"model":"test-model","choices":[],"usage":{"prompt_tokens":11,"completion_tokens":7,' +
        '"total_tokens":18}}\n\n',
      "data: [DONE]\n\n",
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

const messages = [new HumanMessage("What is left to do, and who does it?")];
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
  {
    type: "function",
    function: {
      name: "list_todos",
      description: "List the open tasks",
      parameters: { type: "object", properties: {} },
    },
  },
];

async function ask() {
  let whole;
  for await (const chunk of await model.bindTools(tools).stream(messages)) {
    whole = whole ? whole.concat(chunk) : chunk;
  }
  return whole;
}

let answer = await ask();
console.log("\n<--", inspect(answer, { depth: null }));

server.close();

// common.stream.equivalent-to-non-stream: A stream is understood as the same turn (text, calls, ids, arguments,
//   stop, usage) as the equivalent blocking response, however its bytes are cut.
//   at:       /calls/0/id in what the library makes of answer 1
//   expected: call_w9Bv3u6QYVSgHnArRufVnUcE
//   found:    call_vWJtRNfYZ9zKLuB8t5f58tbL
//   harness:  conformance run env:langchain-js-openai --provider openai-chat --scenario quirks.index_zero --delivery stream:per-event --rule common.stream.equivalent-to-non-stream
