// npm install @langchain/openai@1.6.0 @langchain/core langchain
// errors.length_in_arguments/stream:per-event on openai-chat, made smaller; the provider is here, …
// common.stream.equivalent-to-non-stream: A stream is understood as the same turn (text, calls, id…
//   at /calls/0/invalid in what the library makes of the last answer
//   expected: true
//   found:    false

import { createServer } from "node:http";
import { inspect } from "node:util";

import { HumanMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";

const ANSWERS = [
  [200, { "content-type": "text/event-stream; charset=utf-8" }, [
    'data: {"choices":[{"delta":{"role":"assistant"}}]}\n\n' +
    'data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"call_RZL7q777k7huTvuQfbwxZCFX","f' +
    'unction":{"name":"write_file"}}]}}]}\n\n' +
    'data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\\"file_path' +
    '\\": \\"/srv/"}}]}}]}\n\n' +
    'data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"story.md\\", ' +
    '\\"content\\""}}]}}]}\n\n' +
    'data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":": \\"Once upon' +
    ' a time,"}}]}}]}\n\n' +
    'data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":" in a \\\\\\"s' +
    'mall\\\\\\" vill"}}]}}]}\n\ndata: {"choices":[{"finish_reason":"length","delta":{}}]}\n\n' +
    'data: {"usage":{"prompt_tokens":11,"completion_tokens":7}}\n\n',
  ]],
];

const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk;
  if (!request.url.includes("completions")) return response.writeHead(404).end();
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

const answer = await collect(new ChatOpenAI({
  model: "test-model", maxTokens: 1024, maxRetries: 0, streamUsage: true, apiKey: "test-key",
  configuration: { baseURL: BASE_URL + "/v1" },
}), [new HumanMessage("Write a long story.")]);
console.log("<--", inspect(answer, { depth: null }));

server.close();
