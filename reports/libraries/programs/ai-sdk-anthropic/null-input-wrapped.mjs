// npm install @ai-sdk/anthropic@4.0.105 ai

// no_arguments.null_text/stream:per-event on anthropic, without the harness: this program is the provider, too.

import { createServer } from "node:http";
import { inspect } from "node:util";

import { createAnthropic } from "@ai-sdk/anthropic";
import { jsonSchema, streamText, tool } from "ai";

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
  [
    200,
    { "content-type": "text/event-stream; charset=utf-8" },
    [
      "event: message_start\n" +
        'data: {"type":"message_start","message":{"model":"test-model","id":"msg_eWCyexTrJwJXFUBdicSDT' +
        'Ndn","type":"message","role":"assistant","content":[],"stop_reason":null,"stop_sequence":null' +
        ',"stop_details":null,"usage":{"input_tokens":11,"cache_creation_input_tokens":0,"cache_read_i' +
        'nput_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0}' +
        ',"output_tokens":1,"service_tier":"standard"}}}\n\n',
      "event: content_block_start\n" +
        'data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n',
      'event: ping\ndata: {"type":"ping"}\n\n',
      "event: content_block_delta\n" +
        'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Yes, "}}\n' +
        "\n",
      "event: content_block_delta\n" +
        'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"it is"}}\n' +
        "\n",
      "event: content_block_delta\n" +
        'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" clea"}}\n' +
        "\n",
      "event: content_block_delta\n" +
        'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"n."}}\n\n',
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

const provider = createAnthropic({ baseURL: BASE_URL + "/v1", apiKey: "test-key" });
const model = provider("claude-sonnet-4-5");

const messages = [{ role: "user", content: "Is the tree clean?" }];
const tools = {
  git_status: tool({
    description: "Show the state of the working tree",
    inputSchema: jsonSchema({
      type: "object",
      properties: { path: { type: "string", description: "Only below this path" } },
    }),
  }),
};

async function ask() {
  const result = streamText({ model, messages, tools, maxOutputTokens: 1024, maxRetries: 0 });
  const parts = [];
  for await (const part of result.fullStream) parts.push(part);
  console.log("\nparts of the stream:", parts);
  const [text, toolCalls, finishReason, usage, response] = await Promise.all([
    result.text, result.toolCalls, result.finishReason, result.usage, result.response,
  ]);
  return { text, toolCalls, finishReason, usage, messages: response.messages };
}

let answer = await ask();
console.log("\n<--", inspect(answer, { depth: null }));
messages.push(...answer.messages);
let calls = answer.messages
  .flatMap((message) => message.content)
  .filter((part) => part.type === "tool-call" && !part.providerExecuted);
messages.push({
  role: "tool",
  content: [
    {
      type: "tool-result",
      toolCallId: calls[0].toolCallId,
      toolName: "git_status",
      output: { type: "text", value: "nothing to commit, working tree clean" },
    },
  ],
});
answer = await ask();
console.log("\n<--", inspect(answer, { depth: null }));

server.close();

// common.history.calls-kept: Every call that the model made is in the request, with the arguments that it had.
//   at:       /messages/1/content/0/input in request 2
//   expected: {}
//   found:    {"rawInvalidInput": null}
//   harness:  conformance run env:ai-sdk-anthropic --provider anthropic --scenario no_arguments.null_text --delivery stream:per-event --rule common.history.calls-kept
