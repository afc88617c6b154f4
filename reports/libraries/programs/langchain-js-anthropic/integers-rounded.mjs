// npm install @langchain/anthropic@1.5.11 @langchain/core

// arguments.big_integers/blocking on anthropic, without the harness: this program is the provider, too.

import { createServer } from "node:http";
import { inspect } from "node:util";

import { ChatAnthropic } from "@langchain/anthropic";
import { HumanMessage } from "@langchain/core/messages";

const ANSWERS = [
  [
    200,
    { "content-type": "application/json" },
    [
      '{"model":"test-model","id":"msg_4h4w42gnXX7Vu7yKEbVJMyUg","type":"message","role":"assistant"' +
        ',"content":[{"type":"tool_use","id":"toolu_UZgpEaZNG2VJHTKx3vDbgLHa","name":"query_orders","i' +
        'nput":{"filter":{"tweet":9007199254740993,"account":-9223372036854775808,"ids":[1844674407370' +
        '955161,9223372036854775807]}}}],"stop_reason":"tool_use","stop_sequence":null,"stop_details":' +
        'null,"usage":{"input_tokens":11,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"' +
        'cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0},"output_tokens"' +
        ':7,"service_tier":"standard"}}',
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
  return model.bindTools(tools).invoke(messages);
}

let answer = await ask();
console.log("\n<--", inspect(answer, { depth: null }));

server.close();

// common.parse.integers-above-2-53: Integer arguments above 2^53 are not rounded by the adapter: these wires
//   carry them as JSON text, which is exact.
//   at:       /calls/0/arguments/filter/tweet in what the library makes of answer 1
//   expected: 9007199254740993
//   found:    9007199254740992
//   harness:  conformance run env:langchain-js-anthropic --provider anthropic --scenario arguments.big_integers --delivery blocking --rule common.parse.integers-above-2-53
