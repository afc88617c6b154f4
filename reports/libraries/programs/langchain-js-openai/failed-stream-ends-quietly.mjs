// npm install @langchain/openai@1.6.0 @langchain/core langchain
// errors.failed_without_error/stream:per-event on openai-responses, made smaller; the provider is …
// common.error.retryable-classified: HTTP/stream errors are classified: 408/409/429/5xx/529 (and s…
//   at /error in what the library makes of the last answer
//   expected: the provider gave no message
//   found:    null

import { createServer } from "node:http";
import { inspect } from "node:util";

import { HumanMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";

const ANSWERS = [
  [200, { "content-type": "text/event-stream; charset=utf-8" }, [
    'event: response.created\ndata: {"type":"response.created","response":{}}\n\n' +
    "event: response.failed\n" +
    'data: {"type":"response.failed","response":{"usage":{"input_tokens":11,"output_tokens":7}}}' +
    "\n\n",
  ]],
];

const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk;
  if (!request.url.includes("responses")) return response.writeHead(404).end();
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
  configuration: { baseURL: BASE_URL + "/v1" }, useResponsesApi: true, zdrEnabled: true,
}), [new HumanMessage("Tell me everything about TCP.")]);
console.log("<--", inspect(answer, { depth: null }));

server.close();
