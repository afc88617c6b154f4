// npm install @langchain/anthropic@1.5.11 @langchain/core

// handoff.retired_tool/blocking on anthropic, without the harness: this program is the provider, too.

import { createServer } from "node:http";
import { inspect } from "node:util";

import { ChatAnthropic } from "@langchain/anthropic";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";

const ANSWERS = [
  [
    200,
    { "content-type": "application/json" },
    [
      '{"model":"test-model","id":"msg_mbJPhjnfFB9XKnbVwTLsKoJM","type":"message","role":"assistant"' +
        ',"content":[{"type":"text","text":"Perhaps 8080."}],"stop_reason":"end_turn","stop_sequence":' +
        'null,"stop_details":null,"usage":{"input_tokens":11,"cache_creation_input_tokens":0,"cache_re' +
        'ad_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens' +
        '":0},"output_tokens":7,"service_tier":"standard"}}',
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

const messages = [
  new HumanMessage("What is the port?"),
  new AIMessage({
    content: "",
    tool_calls: [
      {
        type: "tool_call",
        id: "call_D2V5xeW5b4MShqU9RVFenats",
        name: "read_file",
        args: { absolute_path: "/srv/app/config.yaml" },
      },
    ],
  }),
  new ToolMessage({
    content: "File not found: /srv/app/config.yaml",
    tool_call_id: "call_D2V5xeW5b4MShqU9RVFenats",
    name: "read_file",
    status: "error",
  }),
  new AIMessage({ content: "I cannot find out.", tool_calls: [] }),
  new HumanMessage("Then guess."),
];

async function ask() {
  return model.invoke(messages);
}

let answer = await ask();
console.log("\n<--", inspect(answer, { depth: null }));

server.close();

// common.result.error-visible-to-model: A failed tool is reported to the model: error text always present;
//   native flag where it exists (anthropic is_error, gemini response.error).
//   at:       /messages/2/content/0 in request 1
//   expected: a result that is marked as an error
//   found:    no mark
//   harness:  conformance run env:langchain-js-anthropic --provider anthropic --scenario handoff.retired_tool --delivery blocking --rule common.result.error-visible-to-model
