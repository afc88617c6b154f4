// npm install @ai-sdk/openai@4.0.118 ai
// quirks.unknown_fields/blocking on openai-responses, made smaller; the provider is here, too
// common.parse.unknown-fields-tolerated: Unknown response fields, block/item/event types and enum …
//   at (whole) in what the library makes of the last answer
//   expected: the turn that the provider sent
//   found:    complete raised AI_APICallError: Invalid JSON response

import { createServer } from "node:http";
import { inspect } from "node:util";

import { createOpenAI } from "@ai-sdk/openai";
import { generateText } from "ai";

const ANSWERS = [
  [200, { "content-type": "application/json" }, [
    '{"output":[{}],"usage":{"input_tokens":11,"output_tokens":7}}',
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

function createResponsesModel(options, model) {
  return createOpenAI(options).responses(model);
}

const answer = await generateText({
  model: createResponsesModel({ baseURL: BASE_URL + "/v1", apiKey: "test-key" }, "test-model"),
  messages: [{ role: "user", content: "Read a.txt." }], maxOutputTokens: 1024, maxRetries: 0,
  providerOptions: { openai: { store: false } },
});
console.log("<--", inspect(answer, { depth: null }));

server.close();
