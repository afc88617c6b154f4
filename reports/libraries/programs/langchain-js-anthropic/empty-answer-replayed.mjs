// npm install @langchain/anthropic@1.5.11 @langchain/core langchain
// multi_turn.empty_answer/blocking on anthropic, made smaller; the provider is here, too
// anthropic.history.no-empty-text-blocks: No content of a message, and none of its text blocks, is…
//   at /messages/1/content in the last request
//   expected: text, or no message at all
//   found:    []

import { createServer } from "node:http";

import { ChatAnthropic } from "@langchain/anthropic";
import { HumanMessage } from "@langchain/core/messages";

const ANSWERS = [
  [200, { "content-type": "application/json" }, [
    '{"content":[],"usage":{"input_tokens":11,"output_tokens":7}}',
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

async function invoke(model, messages) {
  return await model.invoke(messages);
}

const chatAnthropic = new ChatAnthropic({
  model: "claude-sonnet-4-5", apiKey: "test-key", anthropicApiUrl: BASE_URL, maxRetries: 0,
  maxTokens: 1024,
});
const humanMessage = new HumanMessage("Save an empty list.");
const answer = await invoke(chatAnthropic, [humanMessage]);
await invoke(chatAnthropic, [humanMessage, answer, new HumanMessage("Did it work?")]);

server.close();
