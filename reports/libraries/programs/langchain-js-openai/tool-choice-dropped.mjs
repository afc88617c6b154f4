// npm install @langchain/openai@1.6.0 @langchain/core langchain
// relations.calls_forbidden/blocking on openai-responses, made smaller; the provider is here, too
// common.choose.forbidden-at-any-time: Calls are forbidden where the application forbids them, at …
//   at /tool_choice in the last request
//   expected: none
//   found:    null

import { createServer } from "node:http";

import { HumanMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";

const ANSWERS = [
  [200, { "content-type": "application/json" }, [
    '{"status":"completed","output":[],"usage":{"input_tokens":11,"output_tokens":7}}',
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

function bindTools(model, tools, options) {
  return model.bindTools(tools, options);
}

async function invoke(model, messages) {
  return await model.invoke(messages);
}

await invoke(bindTools(new ChatOpenAI({
  model: "test-model", maxTokens: 1024, maxRetries: 0, streamUsage: true, apiKey: "test-key",
  configuration: { baseURL: BASE_URL + "/v1" }, useResponsesApi: true, zdrEnabled: true,
}), [{
  type: "function",
  function: { name: "write_file", description: "Write a file", parameters: { type: "object" } },
}]), [new HumanMessage("Copy a.txt to b.txt.")]);

server.close();
