// npm install @langchain/google-genai@2.3.2 @langchain/core langchain
// binary_image.image_and_error/blocking on gemini, made smaller; the provider is here, too
// common.binary.image-kept: A picture that a tool returned is sent as it was, once, or words stand…
//   at /contents/2/parts/0/functionResponse/response in the last request
//   expected: the picture, or words
//   found:    "{\"result\":[{\"inlineData\":{\"data\":\"iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAA…

import { createServer } from "node:http";

import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { ChatGoogleGenerativeAI } from "@langchain/google-genai";

const ANSWERS = [
  [200, { "content-type": "application/json" }, [
    '{"candidates":[{"content":{"parts":[{"functionCall":{"name":"read_file","args":{}}}]}}],"usa' +
    'geMetadata":{"promptTokenCount":11,"candidatesTokenCount":7}}',
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
const humanMessage = new HumanMessage("Compare old.png with new.png.");
const answer = await invoke(chatGoogleGenerativeAI, [humanMessage]);
await invoke(chatGoogleGenerativeAI, [
  humanMessage, answer,
  new ToolMessage({
    content: [{
      type: "image_url",
      image_url: {
        url: "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4" +
          "2mP4z8AARAwQCgAf7gP9Y167WwAAAABJRU5ErkJggg==",
      },
    }],
    tool_call_id: answer.tool_calls[0].id, name: "read_file", status: "success",
  }),
]);

server.close();
