// npm install @langchain/anthropic@1.5.11 @langchain/core

// arguments.big_integers/stream:per-event on anthropic, without the harness: this program is the provider, too.

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
        'data: {"type":"message_start","message":{"model":"test-model","id":"msg_4h4w42gnXX7Vu7yKEbVJM' +
        'yUg","type":"message","role":"assistant","content":[],"stop_reason":null,"stop_sequence":null' +
        ',"stop_details":null,"usage":{"input_tokens":11,"cache_creation_input_tokens":0,"cache_read_i' +
        'nput_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0}' +
        ',"output_tokens":1,"service_tier":"standard"}}}\n\n',
      "event: content_block_start\n" +
        'data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_' +
        'UZgpEaZNG2VJHTKx3vDbgLHa","name":"query_orders","input":{}}}\n\n',
      'event: ping\ndata: {"type":"ping"}\n\n',
      "event: content_block_delta\n" +
        'data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_jso' +
        'n":""}}\n\n',
      "event: content_block_delta\n" +
        'data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_jso' +
        'n":"{\\"filter\\":{\\"tweet\\":9007199254"}}\n\n',
      "event: content_block_delta\n" +
        'data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_jso' +
        'n":"740993,\\"account\\":-92233720368"}}\n\n',
      "event: content_block_delta\n" +
        'data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_jso' +
        'n":"54775808,\\"ids\\":[1844674407370"}}\n\n',
      "event: content_block_delta\n" +
        'data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_jso' +
        'n":"955161,9223372036854775807]}}"}}\n\n',
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

const messages = [new HumanMessage("Show the order of this tweet.")];
const tools = [
  {
    type: "function",
    function: {
      name: "query_orders",
      description: "Search orders with a filter of any shape",
      parameters: {
        type: "object",
        properties: {
          filter: { type: "object", description: "The conditions" },
          include_items: { type: "boolean", description: "Whether to list the items of each order" },
          dry_run: { type: "boolean", description: "Whether only to count" },
        },
        required: ["filter"],
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

// common.stream.equivalent-to-non-stream: A stream is understood as the same turn (text, calls, ids, arguments,
//   stop, usage) as the equivalent blocking response, however its bytes are cut.
//   at:       /usage in what the library makes of answer 1
//   expected: {"input_tokens": 11, "output_tokens": 7}
//   found:    {"input_tokens": 11, "output_tokens": 8}
//   harness:  conformance run env:langchain-js-anthropic --provider anthropic --scenario arguments.big_integers --delivery stream:per-event --rule common.stream.equivalent-to-non-stream
