// npm install @langchain/anthropic@1.5.11 @langchain/core

// no_arguments.null_text/stream:per-event on anthropic, without the harness: this program is the provider, too.

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
        'data: {"type":"message_start","message":{"model":"test-model","id":"msg_qz2rPLuRrqDxGCjC5wbVN' +
        'htN","type":"message","role":"assistant","content":[],"stop_reason":null,"stop_sequence":null' +
        ',"stop_details":null,"usage":{"input_tokens":11,"cache_creation_input_tokens":0,"cache_read_i' +
        'nput_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0}' +
        ',"output_tokens":1,"service_tier":"standard"}}}\n\n',
      "event: content_block_start\n" +
        'data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_' +
        '6Tz7MV5QGg7ksFLjUGvRgjL5","name":"git_status","input":{}}}\n\n',
      'event: ping\ndata: {"type":"ping"}\n\n',
      "event: content_block_delta\n" +
        'data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_jso' +
        'n":""}}\n\n',
      "event: content_block_delta\n" +
        'data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_jso' +
        'n":"n"}}\n\n',
      "event: content_block_delta\n" +
        'data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_jso' +
        'n":"u"}}\n\n',
      "event: content_block_delta\n" +
        'data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_jso' +
        'n":"l"}}\n\n',
      "event: content_block_delta\n" +
        'data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_jso' +
        'n":"l"}}\n\n',
      'event: content_block_stop\ndata: {"type":"content_block_stop","index":0}\n\n',
      "event: message_delta\n" +
        'data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null,"stop_de' +
        'tails":null},"usage":{"input_tokens":11,"cache_creation_input_tokens":0,"cache_read_input_tok' +
        'ens":0,"output_tokens":7}}\n\n',
      'event: message_stop\ndata: {"type":"message_stop"}\n\n',
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
  let whole;
  for await (const chunk of await model.bindTools(tools).stream(messages)) {
    whole = whole ? whole.concat(chunk) : chunk;
  }
  return whole;
}

let answer = await ask();
console.log("\n<--", inspect(answer, { depth: null }));

server.close();

// anthropic.stream.partial-json-concatenated: input_json_delta.partial_json fragments are concatenated per block
//   and parsed once at content_block_stop; fragments may be "" and may split inside an escape, a number or a
//   surrogate pair. Without fragments the input counts that the block began with.
//   at:       /calls/0/arguments in what the library makes of answer 1
//   expected: {}
//   found:    null
//   harness:  conformance run env:langchain-js-anthropic --provider anthropic --scenario no_arguments.null_text --delivery stream:per-event --rule anthropic.stream.partial-json-concatenated
