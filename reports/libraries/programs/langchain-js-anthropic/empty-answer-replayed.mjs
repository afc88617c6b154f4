// npm install @langchain/anthropic@1.5.11 @langchain/core

// multi_turn.empty_answer/blocking on anthropic, without the harness: this program is the provider, too.

import { createServer } from "node:http";
import { inspect } from "node:util";

import { ChatAnthropic } from "@langchain/anthropic";
import { HumanMessage, ToolMessage } from "@langchain/core/messages";

const ANSWERS = [
  [
    200,
    { "content-type": "application/json" },
    [
      '{"model":"test-model","id":"msg_oGVzNx5iDumJxytPR8uUA4mp","type":"message","role":"assistant"' +
        ',"content":[{"type":"tool_use","id":"toolu_LoAGnFnaTiNyPZqMHqkDqNFX","name":"write_file","inp' +
        'ut":{"file_path":"/srv/app/list.json","content":"[]"}}],"stop_reason":"tool_use","stop_sequen' +
        'ce":null,"stop_details":null,"usage":{"input_tokens":11,"cache_creation_input_tokens":0,"cach' +
        'e_read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_to' +
        'kens":0},"output_tokens":7,"service_tier":"standard"}}',
    ],
  ],
  [
    200,
    { "content-type": "application/json" },
    [
      '{"model":"test-model","id":"msg_nkRQaa5JQZcKhQzEUUTXNjCn","type":"message","role":"assistant"' +
        ',"content":[],"stop_reason":"end_turn","stop_sequence":null,"stop_details":null,"usage":{"inp' +
        'ut_tokens":11,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"cache_creation":{"' +
        'ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0},"output_tokens":7,"service_tier":' +
        '"standard"}}',
    ],
  ],
  [
    200,
    { "content-type": "application/json" },
    [
      '{"model":"test-model","id":"msg_awoSouaPsgAENbjuXmb5RXVD","type":"message","role":"assistant"' +
        ',"content":[{"type":"text","text":"Yes, the file holds an empty list."}],"stop_reason":"end_t' +
        'urn","stop_sequence":null,"stop_details":null,"usage":{"input_tokens":11,"cache_creation_inpu' +
        't_tokens":0,"cache_read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephe' +
        'meral_1h_input_tokens":0},"output_tokens":7,"service_tier":"standard"}}',
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

const messages = [new HumanMessage("Save an empty list.")];
const tools = [
  {
    type: "function",
    function: {
      name: "write_file",
      description: "Write a file",
      parameters: {
        type: "object",
        properties: {
          file_path: { type: "string", description: "The absolute path of the file" },
          content: { type: "string", description: "What to write" },
        },
        required: ["file_path", "content"],
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
  content: "Wrote 2 bytes to /srv/app/list.json",
  tool_call_id: calls[0].id,
  name: "write_file",
}));
answer = await ask();
console.log("\n<--", inspect(answer, { depth: null }));
messages.push(answer);
messages.push(new HumanMessage("Did it work?"));
answer = await ask();
console.log("\n<--", inspect(answer, { depth: null }));

server.close();

// anthropic.history.no-empty-text-blocks: No text block or string content of a message is empty or only white
//   space (drop the block; empty assistant text beside tool_use is dropped), and none in a result or in system
//   is empty. White space is taken beside the model's calls, and anything in a last assistant message.
//   at:       /messages/3/content in request 3
//   expected: text, or no message at all
//   found:    []
//   harness:  conformance run env:langchain-js-anthropic --provider anthropic --scenario multi_turn.empty_answer --delivery blocking --rule anthropic.history.no-empty-text-blocks
