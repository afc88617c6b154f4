// npm install @langchain/anthropic@1.5.11 @langchain/core
// errors.cut_in_arguments/stream:per-event on anthropic, made smaller; the provider is here, too
// common.stream.truncated-stream-not-complete: A stream that ends without its terminal marker (con…
//   at /calls/0 in what the library makes of the last answer
//   expected: a call that is marked invalid
//   found:    {"id": "toolu_2gpNBxB26qsrkH49MgTQA4Xz", "name": "run_shell_command", "argument…

import { createServer } from "node:http";
import { inspect } from "node:util";

import { ChatAnthropic } from "@langchain/anthropic";
import { HumanMessage } from "@langchain/core/messages";

const ANSWERS = [
  [200, { "content-type": "text/event-stream; charset=utf-8" }, [
    "event: message_start\n" +
    'data: {"type":"message_start","message":{"usage":{"input_tokens":11,"output_tokens":1}}}\n\n' +
    "event: content_block_start\n" +
    'data: {"type":"content_block_start","content_block":{"type":"tool_use","id":"toolu_2gpNBxB26' +
    'qsrkH49MgTQA4Xz","name":"run_shell_command"}}\n\n',
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
}), [new HumanMessage("Clean up.")]);
console.log("<--", inspect(answer, { depth: null }));

server.close();
