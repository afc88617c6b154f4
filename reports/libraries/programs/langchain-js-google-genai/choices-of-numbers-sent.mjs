// npm install @langchain/google-genai@2.3.2 @langchain/core langchain
// declare.choices_of_other_types/blocking on gemini, made smaller; the provider is here, too
// gemini.declare.schema-subset-in-parameters: When parameters is used, only fields of Schema appea…
//   at /tools/0/functionDeclarations/0/parameters/properties/share/enum in the last request
//   expected: strings
//   found:    [1]

import { createServer } from "node:http";

import { HumanMessage } from "@langchain/core/messages";
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

function bindTools(model, tools, options) {
  return model.bindTools(tools, options);
}

async function invoke(model, messages) {
  return await model.invoke(messages);
}

await invoke(bindTools(new ChatGoogleGenerativeAI({
  model: "gemini-3-pro-preview", apiKey: "test-key", baseUrl: BASE_URL, maxOutputTokens: 1024,
  maxRetries: 0,
}), [{
  type: "function",
  function: {
    name: "set_log", description: "Set how much is logged",
    parameters: { type: "object", properties: { share: { enum: [1] } } },
  },
}]), [new HumanMessage("Log warnings, and half of the rest.")]);

server.close();
