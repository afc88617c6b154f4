// npm install @langchain/google-genai@2.3.2 @langchain/core
// multi_turn.empty_answer/blocking on gemini, made smaller; the provider is here, too
// gemini.history.contents-container: The conversation is contents[] with parts[]: no messages, inp…
//   at /contents/1/parts in the last request
//   expected: at least one part
//   found:    []

import { createServer } from "node:http";

import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { ChatGoogleGenerativeAI } from "@langchain/google-genai";

const ANSWERS = [
  [200, { "content-type": "application/json" }, [
    '{"candidates":[{"content":{},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":11,' +
    '"candidatesTokenCount":7}}',
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

await invoke(new ChatGoogleGenerativeAI({
  model: "gemini-3-pro-preview", apiKey: "test-key", baseUrl: BASE_URL, maxOutputTokens: 1024,
  maxRetries: 0,
}), [
  new HumanMessage("Save an empty list."), new AIMessage({ content: "", tool_calls: [] }),
]);

server.close();
