// npm install @langchain/anthropic@1.5.11 @langchain/core

// arguments.not_an_object/blocking on anthropic, without the harness: this program is the provider, too.

import { createServer } from "node:http";
import { inspect } from "node:util";

import { ChatAnthropic } from "@langchain/anthropic";
import { HumanMessage, ToolMessage } from "@langchain/core/messages";

const ANSWERS = [
  [
    200,
    { "content-type": "application/json" },
    [
      '{"model":"test-model","id":"msg_T8tVZVVwSSPHQFWxhtDNikCZ","type":"message","role":"assistant"' +
        ',"content":[{"type":"tool_use","id":"toolu_8fSApMHvJQHRjXsi9K4Xp9YB","name":"run_shell_comman' +
        'd","input":"[\\"date\\", \\"-u\\"]"}],"stop_reason":"tool_use","stop_sequence":null,"stop_det' +
        'ails":null,"usage":{"input_tokens":11,"cache_creation_input_tokens":0,"cache_read_input_token' +
        's":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0},"output_t' +
        'okens":7,"service_tier":"standard"}}',
    ],
  ],
  [
    200,
    { "content-type": "application/json" },
    [
      '{"model":"test-model","id":"msg_MDh5ViM4sSK5KtUrGXqhyAhY","type":"message","role":"assistant"' +
        ',"content":[{"type":"text","text":"I\'m sorry, that call was malformed."}],"stop_reason":"end' +
        '_turn","stop_sequence":null,"stop_details":null,"usage":{"input_tokens":11,"cache_creation_in' +
        'put_tokens":0,"cache_read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ep' +
        'hemeral_1h_input_tokens":0},"output_tokens":7,"service_tier":"standard"}}',
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

const model = new ChatAnthropic({
  model: "claude-sonnet-4-5",
  apiKey: "test-key",
  anthropicApiUrl: BASE_URL,
  maxRetries: 0,
  maxTokens: 1024,
});

const messages = [new HumanMessage("Show the date.")];
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
messages.push(answer);
let calls = [...answer.tool_calls, ...answer.invalid_tool_calls];
messages.push(new ToolMessage({
  content: "The arguments must be an object.",
  tool_call_id: calls[0].id,
  name: "run_shell_command",
  status: "error",
}));
answer = await ask();
console.log("\n<--", inspect(answer, { depth: null }));

server.close();

// anthropic.history.assistant-content-replayed: What the model said is replayed block by block in its order:
//   text, tool_use with input as an object, server tool blocks with what is encrypted in them. Empty text and
//   blocks that nobody knows may be left out, and tool_use may move to the end.
//   at:       /messages/1/content/0/input in request 2
//   expected: an object
//   found:    ["date", "-u"]
//   harness:  conformance run env:langchain-js-anthropic --provider anthropic --scenario arguments.not_an_object --delivery blocking --rule anthropic.history.assistant-content-replayed
