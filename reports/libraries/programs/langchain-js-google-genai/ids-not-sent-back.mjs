// npm install @langchain/google-genai@2.3.2 @langchain/core langchain
// arguments.floats/blocking on gemini, made smaller; the provider is here, too
// gemini.ids.echoed-when-present: If the response carried functionCall.id, the same id is sent in …
//   at /contents/1/parts/0/functionCall/id in the last request
//   expected: tyef6a9a
//   found:    null

import { createServer } from "node:http";

import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { ChatGoogleGenerativeAI } from "@langchain/google-genai";

const ANSWERS = [
  [200, { "content-type": "application/json" }, [
    '{"candidates":[{"content":{"parts":[{"functionCall":{"name":"query_orders","args":{},"id":"t' +
    'yef6a9a"}}]}}],"usageMetadata":{"promptTokenCount":11,"candidatesTokenCount":7}}',
  ]],
];

const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk;
  if (!request.url.includes("generateContent")) return response.writeHead(404).end();
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

const chatGoogleGenerativeAI = new ChatGoogleGenerativeAI({
  model: "gemini-3-pro-preview", apiKey: "test-key", baseUrl: BASE_URL, maxOutputTokens: 1024,
  maxRetries: 0,
});
const humanMessage = new HumanMessage("Find orders near the office that cost about 20.");
const answer = await invoke(chatGoogleGenerativeAI, [humanMessage]);
await invoke(chatGoogleGenerativeAI, [
  humanMessage, answer,
  new ToolMessage({
    content: "2 orders", tool_call_id: "tyef6a9a", name: "query_orders", status: "success",
  }),
]);

server.close();
