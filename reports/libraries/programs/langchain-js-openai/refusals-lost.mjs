// npm install @langchain/openai@1.6.0 @langchain/core langchain
// errors.refusal/blocking on openai-chat, made smaller; the provider is here, too
// common.parse.stop-reason: Why an answer without calls ended is told as it was - by itself, at th…
//   at /stop in what the library makes of the last answer
//   expected: refusal
//   found:    end

import { createServer } from "node:http";
import { inspect } from "node:util";

import { HumanMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";

const ANSWERS = [
  [200, { "content-type": "application/json" }, [
    '{"choices":[{"message":{"role":"assistant","refusal":"I can\'t help with getting into other ' +
    'people\'s devices."},"finish_reason":"stop"}],"usage":{"prompt_tokens":11,"completion_tokens' +
    '":7}}',
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

async function invoke(model, messages) {
  return await model.invoke(messages);
}

const answer = await invoke(new ChatOpenAI({
  model: "test-model", maxTokens: 1024, maxRetries: 0, streamUsage: true, apiKey: "test-key",
  configuration: { baseURL: BASE_URL + "/v1" },
}), [new HumanMessage("Break into my neighbour's router.")]);
console.log("<--", inspect(answer, { depth: null }));

server.close();
