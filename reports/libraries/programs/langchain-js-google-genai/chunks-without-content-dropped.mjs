// npm install @langchain/google-genai@2.3.2 @langchain/core langchain
// errors.safety/stream:per-event on gemini, made smaller; the provider is here, too
// common.stream.equivalent-to-non-stream: A stream is understood as the same turn (text, calls, id…
//   at /stop in what the library makes of the last answer
//   expected: refusal
//   found:    incomplete

import { createServer } from "node:http";
import { inspect } from "node:util";

import { HumanMessage } from "@langchain/core/messages";
import { ChatGoogleGenerativeAI } from "@langchain/google-genai";

const ANSWERS = [
  [200, { "content-type": "text/event-stream; charset=utf-8" }, [
    'data: {"candidates":[{"finishReason":"SAFETY"}],"usageMetadata":{"promptTokenCount":11,"cand' +
    'idatesTokenCount":7}}\n\n',
  ]],
];

const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk;
  if (!request.url.includes("streamGenerateContent")) return response.writeHead(404).end();
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

const answer = await collect(new ChatGoogleGenerativeAI({
  model: "gemini-3-pro-preview", apiKey: "test-key", baseUrl: BASE_URL, maxOutputTokens: 1024,
  maxRetries: 0,
}), [new HumanMessage("Describe the picture in detail.")]);
console.log("<--", inspect(answer, { depth: null }));

server.close();
