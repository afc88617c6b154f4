// npm install @langchain/openai@1.6.0 @langchain/core

// quirks.missing_ids_in_two_turns/stream:per-event on openai-chat, without the harness: this program is the provider, too.

import { createServer } from "node:http";
import { inspect } from "node:util";

import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";

const ANSWERS = [
  [
    200,
    { "content-type": "text/event-stream; charset=utf-8" },
    [
      'data: {"id":"chatcmpl-VdLhBKm7JmdrrVD2uTaJnkJp","object":"chat.completion.chunk","created":17' +
        '60000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,"del' +
        'ta":{"role":"assistant","content":null}}]}\n\n',
      'data: {"id":"chatcmpl-VdLhBKm7JmdrrVD2uTaJnkJp","object":"chat.completion.chunk","created":17' +
        '60000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,"del' +
        'ta":{"tool_calls":[{"index":0,"type":"function","function":{"name":"run_shell_command","argum' +
        'ents":""}}]}}]}\n\n',
      'data: {"id":"chatcmpl-VdLhBKm7JmdrrVD2uTaJnkJp","object":"chat.completion.chunk","created":17' +
        '60000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,"del' +
        'ta":{"tool_calls":[{"index":0,"function":{"arguments":"{\\"comm"}}]}}]}\n\n',
      'data: {"id":"chatcmpl-VdLhBKm7JmdrrVD2uTaJnkJp","object":"chat.completion.chunk","created":17' +
        '60000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,"del' +
        'ta":{"tool_calls":[{"index":0,"function":{"arguments":"and\\":\\""}}]}}]}\n\n',
      'data: {"id":"chatcmpl-VdLhBKm7JmdrrVD2uTaJnkJp","object":"chat.completion.chunk","created":17' +
        '60000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,"del' +
        'ta":{"tool_calls":[{"index":0,"function":{"arguments":"date +"}}]}}]}\n\n',
      'data: {"id":"chatcmpl-VdLhBKm7JmdrrVD2uTaJnkJp","object":"chat.completion.chunk","created":17' +
        '60000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,"del' +
        'ta":{"tool_calls":[{"index":0,"function":{"arguments":"%T\\"}"}}]}}]}\n\n',
      'data: {"id":"chatcmpl-VdLhBKm7JmdrrVD2uTaJnkJp","object":"chat.completion.chunk","created":17' +
        '60000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":"tool_cal' +
        'ls","delta":{}}]}\n\n',
      'data: {"id":"chatcmpl-VdLhBKm7JmdrrVD2uTaJnkJp","object":"chat.completion.chunk","created":17' +
        '60000000,"model":"test-model","choices":[],"usage":{"prompt_tokens":11,"completion_tokens":7,' +
        '"total_tokens":18}}\n\n',
      "data: [DONE]\n\n",
    ],
  ],
  [
    200,
    { "content-type": "text/event-stream; charset=utf-8" },
    [
      'data: {"id":"chatcmpl-jDs9RVyASyUSr6puFYqXJDPD","object":"chat.completion.chunk","created":17' +
        '60000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,"del' +
        'ta":{"role":"assistant","content":null}}]}\n\n',
      'data: {"id":"chatcmpl-jDs9RVyASyUSr6puFYqXJDPD","object":"chat.completion.chunk","created":17' +
        '60000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,"del' +
        'ta":{"tool_calls":[{"index":0,"type":"function","function":{"name":"run_shell_command","argum' +
        'ents":""}}]}}]}\n\n',
      'data: {"id":"chatcmpl-jDs9RVyASyUSr6puFYqXJDPD","object":"chat.completion.chunk","created":17' +
        '60000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,"del' +
        'ta":{"tool_calls":[{"index":0,"function":{"arguments":"{\\"comm"}}]}}]}\n\n',
      'data: {"id":"chatcmpl-jDs9RVyASyUSr6puFYqXJDPD","object":"chat.completion.chunk","created":17' +
        '60000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,"del' +
        'ta":{"tool_calls":[{"index":0,"function":{"arguments":"and\\":\\""}}]}}]}\n\n',
      'data: {"id":"chatcmpl-jDs9RVyASyUSr6puFYqXJDPD","object":"chat.completion.chunk","created":17' +
        '60000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,"del' +
        'ta":{"tool_calls":[{"index":0,"function":{"arguments":"date +"}}]}}]}\n\n',
      'data: {"id":"chatcmpl-jDs9RVyASyUSr6puFYqXJDPD","object":"chat.completion.chunk","created":17' +
        '60000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,"del' +
        'ta":{"tool_calls":[{"index":0,"function":{"arguments":"%T\\"}"}}]}}]}\n\n',
      'data: {"id":"chatcmpl-jDs9RVyASyUSr6puFYqXJDPD","object":"chat.completion.chunk","created":17' +
        '60000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":"tool_cal' +
        'ls","delta":{}}]}\n\n',
      'data: {"id":"chatcmpl-jDs9RVyASyUSr6puFYqXJDPD","object":"chat.completion.chunk","created":17' +
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

const messages = [new HumanMessage("Show the time twice.")];
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
  let whole;
  for await (const chunk of await model.bindTools(tools).stream(messages)) {
    whole = whole ? whole.concat(chunk) : chunk;
  }
  return whole;
}

let answer = await ask();
console.log("\n<--", inspect(answer, { depth: null }));
messages.push(answer);
let calls = [...answer.tool_calls, ...answer.invalid_tool_calls];
messages.push(new ToolMessage({
  content: "10:00:00\n",
  tool_call_id: calls[0].id ?? "",
  name: "run_shell_command",
}));
answer = await ask();
console.log("\n<--", inspect(answer, { depth: null }));

server.close();

// common.parse.args-decoded-object: Every parsed call exposes arguments as a decoded JSON object equal to what
//   the provider sent, whether the wire carried a JSON string or an object.
//   at:       /calls/0/arguments in what the library makes of answer 2
//   expected: {"command": "date +%T"}
//   found:    "{\"command\":\"date +%T\"}"
//   harness:  conformance run env:langchain-js-openai --provider openai-chat --scenario quirks.missing_ids_in_two_turns --delivery stream:per-event --rule common.parse.args-decoded-object
