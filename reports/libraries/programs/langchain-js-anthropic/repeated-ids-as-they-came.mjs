// npm install @langchain/anthropic@1.5.11 @langchain/core

// quirks.repeated_id/stream:per-event on anthropic, without the harness: this program is the provider, too.

import { createServer } from "node:http";
import { inspect } from "node:util";

import { ChatAnthropic } from "@langchain/anthropic";
import { HumanMessage, ToolMessage } from "@langchain/core/messages";

const ANSWERS = [
  [
    200,
    { "content-type": "text/event-stream; charset=utf-8" },
    [
      "event: message_start\n" +
        'data: {"type":"message_start","message":{"model":"test-model","id":"msg_g58araQLmCntSwYWRcZ3d' +
        'bpc","type":"message","role":"assistant","content":[],"stop_reason":null,"stop_sequence":null' +
        ',"stop_details":null,"usage":{"input_tokens":11,"cache_creation_input_tokens":0,"cache_read_i' +
        'nput_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0}' +
        ',"output_tokens":1,"service_tier":"standard"}}}\n\n',
      "event: content_block_start\n" +
        'data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_' +
        'TTfpTsDEo6FaHURW2SB7SNqM","name":"read_file","input":{}}}\n\n',
      'event: ping\ndata: {"type":"ping"}\n\n',
      "event: content_block_delta\n" +
        'data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_jso' +
        'n":""}}\n\n',
      "event: content_block_delta\n" +
        'data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_jso' +
        'n":"{\\"absolu"}}\n\n',
      "event: content_block_delta\n" +
        'data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_jso' +
        'n":"te_path\\""}}\n\n',
      "event: content_block_delta\n" +
        'data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_jso' +
        'n":":\\"/srv/a"}}\n\n',
      "event: content_block_delta\n" +
        'data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_jso' +
        'n":".txt\\"}"}}\n\n',
      'event: content_block_stop\ndata: {"type":"content_block_stop","index":0}\n\n',
      "event: content_block_start\n" +
        'data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_' +
        'TTfpTsDEo6FaHURW2SB7SNqM","name":"read_file","input":{}}}\n\n',
      "event: content_block_delta\n" +
        'data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_jso' +
        'n":""}}\n\n',
      "event: content_block_delta\n" +
        'data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_jso' +
        'n":"{\\"absolu"}}\n\n',
      "event: content_block_delta\n" +
        'data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_jso' +
        'n":"te_path\\""}}\n\n',
      "event: content_block_delta\n" +
        'data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_jso' +
        'n":":\\"/srv/b"}}\n\n',
      "event: content_block_delta\n" +
        'data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_jso' +
        'n":".txt\\"}"}}\n\n',
      'event: content_block_stop\ndata: {"type":"content_block_stop","index":1}\n\n',
      "event: message_delta\n" +
        'data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null,"stop_de' +
        'tails":null},"usage":{"input_tokens":11,"cache_creation_input_tokens":0,"cache_read_input_tok' +
        'ens":0,"output_tokens":7}}\n\n',
      'event: message_stop\ndata: {"type":"message_stop"}\n\n',
    ],
  ],
  [
    200,
    { "content-type": "text/event-stream; charset=utf-8" },
    [
      "event: message_start\n" +
        'data: {"type":"message_start","message":{"model":"test-model","id":"msg_jEVJBdQYGA352aF4CYCtg' +
        'fdJ","type":"message","role":"assistant","content":[],"stop_reason":null,"stop_sequence":null' +
        ',"stop_details":null,"usage":{"input_tokens":11,"cache_creation_input_tokens":0,"cache_read_i' +
        'nput_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0}' +
        ',"output_tokens":1,"service_tier":"standard"}}}\n\n',
      "event: content_block_start\n" +
        'data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n',
      'event: ping\ndata: {"type":"ping"}\n\n',
      "event: content_block_delta\n" +
        'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"The"}}\n\n',
      "event: content_block_delta\n" +
        'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"y d"}}\n\n',
      "event: content_block_delta\n" +
        'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"iff"}}\n\n',
      "event: content_block_delta\n" +
        'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"er."}}\n\n',
      'event: content_block_stop\ndata: {"type":"content_block_stop","index":0}\n\n',
      "event: message_delta\n" +
        'data: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null,"stop_de' +
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

const messages = [new HumanMessage("Compare a.txt with b.txt.")];
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
messages.push(
  new ToolMessage({ content: "contents of a", tool_call_id: calls[0].id ?? "", name: "read_file" }),
  new ToolMessage({ content: "contents of b", tool_call_id: calls[1].id ?? "", name: "read_file" }),
);
answer = await ask();
console.log("\n<--", inspect(answer, { depth: null }));

server.close();

// common.history.calls-kept: Every call that the model made is in the request, with the arguments that it had.
//   at:       /messages/1/content/1/input in request 2
//   expected: {"absolute_path": "/srv/b.txt"}
//   found:    {"absolute_path": "/srv/a.txt"}
//   harness:  conformance run env:langchain-js-anthropic --provider anthropic --scenario quirks.repeated_id --delivery stream:per-event --rule common.history.calls-kept
