// npm install @langchain/anthropic@1.5.11 @langchain/core

// errors.cut_in_arguments/stream:per-event on anthropic, without the harness: this program is the provider, too.

import { createServer } from "node:http";
import { inspect } from "node:util";

import { ChatAnthropic } from "@langchain/anthropic";
import { HumanMessage } from "@langchain/core/messages";

const ANSWERS = [
  [
    200,
    { "content-type": "text/event-stream; charset=utf-8" },
    [
      "event: message_start\n" +
        'data: {"type":"message_start","message":{"model":"test-model","id":"msg_34HfsZ2ydiuYWF3LMrfvP' +
        'kmw","type":"message","role":"assistant","content":[],"stop_reason":null,"stop_sequence":null' +
        ',"stop_details":null,"usage":{"input_tokens":11,"cache_creation_input_tokens":0,"cache_read_i' +
        'nput_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0}' +
        ',"output_tokens":1,"service_tier":"standard"}}}\n\n',
      "event: content_block_start\n" +
        'data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_' +
        '2gpNBxB26qsrkH49MgTQA4Xz","name":"run_shell_command","input":{}}}\n\n',
      'event: ping\ndata: {"type":"ping"}\n\n',
      "event: content_block_delta\n" +
        'data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_jso' +
        'n":""}}\n\n',
      "event: content_block_delta\n" +
        'data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_jso' +
        'n":"{\\"command\\":\\"r"}}\n\n',
      "event: content_block_delta\n" +
        'data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_jso' +
        'n":"m -rf /srv/ap"}}\n\n',
      "event: content_block_delta\n" +
        'data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_jso' +
        'n":"p/build /srv/"}}\n\n',
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

const messages = [new HumanMessage("Clean up.")];
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

server.close();

// common.stream.truncated-stream-not-complete: A stream that ends without its terminal marker (connection cut)
//   is flagged incomplete, and the call that was cut is not understood as one that can be run.
//   at:       /calls/0 in what the library makes of answer 1
//   expected: a call that is marked invalid
//   found:    {"id": "toolu_2gpNBxB26qsrkH49MgTQA4Xz", "name": "run_shell_command", "arguments": {"command": "rm -rf /srv/app/build /srv/"}, "invalid": false}
//   harness:  conformance run env:langchain-js-anthropic --provider anthropic --scenario errors.cut_in_arguments --delivery stream:per-event --rule common.stream.truncated-stream-not-complete
