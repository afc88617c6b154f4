// npm install @langchain/anthropic@1.5.11 @langchain/core langchain
// anthropic.two_citations/stream:per-event on anthropic, made smaller; the provider is here, too
// anthropic.history.assistant-content-replayed: What the model said is replayed block by block in …
//   at /messages/1 in the last request
//   expected: {"type": "server_tool_use", "id": "srvtoolu_5ST2ygT79RCg7AvppQi74J9X"}
//   found:    []

import { createServer } from "node:http";

import { ChatAnthropic } from "@langchain/anthropic";
import { AIMessage, HumanMessage } from "@langchain/core/messages";

const ANSWERS = [
  [200, { "content-type": "text/event-stream; charset=utf-8" }, [
    "event: message_delta\n" +
    'data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":11,' +
    '"output_tokens":7}}\n\n',
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

await collect(new ChatAnthropic({
  model: "claude-sonnet-4-5", apiKey: "test-key", anthropicApiUrl: BASE_URL, maxRetries: 0,
  maxTokens: 1024,
}), [
  new HumanMessage("When was Python 3.11 released, and by whom?"),
  new AIMessage({ content: "", tool_calls: [] }),
]);

server.close();
