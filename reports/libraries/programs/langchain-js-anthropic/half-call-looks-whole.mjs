// npm install @langchain/anthropic@1.5.11 @langchain/core langchain
// errors.length_in_arguments/stream:per-event on anthropic, made smaller; the provider is here, too
// common.stream.equivalent-to-non-stream: A stream is understood as the same turn (text, calls, id…
//   at /calls/0/invalid in what the library makes of the last answer
//   expected: true
//   found:    false

import { createServer } from "node:http";
import { inspect } from "node:util";

import { ChatAnthropic } from "@langchain/anthropic";
import { HumanMessage } from "@langchain/core/messages";

const ANSWERS = [
  [200, { "content-type": "text/event-stream; charset=utf-8" }, [
    "event: content_block_start\n" +
    'data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu' +
    '_RZL7q777k7huTvuQfbwxZCFX","name":"write_file"}}\n\nevent: content_block_delta\n' +
    'data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_js' +
    'on":"{\\"file_path\\": \\"/srv/"}}\n\nevent: content_block_delta\n' +
    'data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_js' +
    'on":"story.md\\", \\"content\\""}}\n\nevent: content_block_delta\n' +
    'data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_js' +
    'on":": \\"Once upon a time,"}}\n\nevent: content_block_delta\n' +
    'data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_js' +
    'on":" in a \\\\\\"small\\\\\\" vill"}}\n\nevent: message_delta\n' +
    'data: {"type":"message_delta","delta":{"stop_reason":"max_tokens"},"usage":{"input_tokens":1' +
    '1,"output_tokens":7}}\n\n',
  ]],
];

const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk;
  if (!request.url.includes("messages")) return response.writeHead(404).end();
  console.log(`--> ${request.method} ${request.url}\n${body}\n`);
  const [status, headers, chunks] = ANSWERS.length > 1 ? ANSWERS.shift() : ANSWERS[0];
  response.writeHead(status, headers);
  for (const chunk of chunks) response.write(chunk);
  response.end();
});
await new Promise((started) => server.listen(0, "127.0.0.1", started));
const BASE_URL = `http://127.0.0.1:${server.address().port}`;

async function collect(model, messages) {
  let whole;
  for await (const chunk of await model.stream(messages)) {
    whole = whole ? whole.concat(chunk) : chunk;
  }
  return whole;
}

const answer = await collect(new ChatAnthropic({
  model: "claude-sonnet-4-5", apiKey: "test-key", anthropicApiUrl: BASE_URL, maxRetries: 0,
  maxTokens: 1024,
}), [new HumanMessage("Write a long story.")]);
console.log("<--", inspect(answer, { depth: null }));

server.close();
