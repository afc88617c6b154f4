// npm install @langchain/google-genai@2.3.2 @langchain/core

// binary_image.one_image/blocking on gemini, without the harness: this program is the provider, too.

import { createServer } from "node:http";
import { inspect } from "node:util";

import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { ChatGoogleGenerativeAI } from "@langchain/google-genai";

const ANSWERS = [
  [
    200,
    { "content-type": "application/json" },
    [
      '{"candidates":[{"content":{"parts":[{"functionCall":{"name":"read_file","args":{"absolute_pat' +
        'h":"/srv/app/logo.png"},"id":"apvx4ykm"}}],"role":"model"},"finishReason":"STOP","index":0,"f' +
        'inishMessage":"Model generated function call(s)."}],"usageMetadata":{"promptTokenCount":11,"c' +
        'andidatesTokenCount":7,"totalTokenCount":18},"modelVersion":"test-model","responseId":"77BFWY' +
        'o9uCjSCKUCpFD3rW"}',
    ],
  ],
  [
    200,
    { "content-type": "application/json" },
    [
      '{"candidates":[{"content":{"parts":[{"text":"It is a red square."}],"role":"model"},"finishRe' +
        'ason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":11,"candidatesTokenCount":7,"tot' +
        'alTokenCount":18},"modelVersion":"test-model","responseId":"BPKFWsmmjy42SwBfbVaR5V"}',
    ],
  ],
];

const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk;
  console.log(`\n--> ${request.method} ${request.url}\n${body}`);
  const [status, headers, chunks] = ANSWERS.length > 1 ? ANSWERS.shift() : ANSWERS[0];
  response.writeHead(status, headers);
  for (const chunk of chunks) response.write(chunk);
  response.end();
});
await new Promise((started) => server.listen(0, "127.0.0.1", started));
const BASE_URL = `http://127.0.0.1:${server.address().port}`;

const model = new ChatGoogleGenerativeAI({
  model: "gemini-3-pro-preview",
  apiKey: "test-key",
  baseUrl: BASE_URL,
  maxOutputTokens: 1024,
  maxRetries: 0,
});

const messages = [new HumanMessage("What does the logo look like?")];
const tools = [
  {
    type: "function",
    function: {
      name: "read_file",
      description: "Read a file",
      parameters: {
        type: "object",
        properties: {
          absolute_path: { type: "string", description: "The absolute path of the file" },
          offset: { type: "integer", description: "The first line to read" },
          limit: { type: "integer", description: "How many lines to read" },
        },
        required: ["absolute_path"],
      },
    },
  },
];

async function ask() {
  return model.bindTools(tools).invoke(messages);
}

let answer = await ask();
console.log("\n<--", inspect(answer, { depth: null }));
messages.push(answer);
let calls = [...answer.tool_calls, ...answer.invalid_tool_calls];
messages.push(new ToolMessage({
  content: [
    { type: "text", text: "Binary content of type image/png was processed." },
    {
      type: "image_url",
      image_url: {
        url: "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR42mP4z8AARA" +
          "wQCgAf7gP9Y167WwAAAABJRU5ErkJggg==",
      },
    },
  ],
  tool_call_id: calls[0].id,
  name: "read_file",
}));
answer = await ask();
console.log("\n<--", inspect(answer, { depth: null }));

server.close();

// common.binary.image-kept: A picture that a tool returned is sent as it was, once, or words stand in its place.
//   at:       /contents/2/parts/0/functionResponse/response in request 2
//   expected: the picture, or words
//   found:    "{\"result\":[{\"text\":\"Binary content of type image/png was processed.\"},{\"inlineData\":{\"data\":\"iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR42mP4z8AARAwQCgAf7gP9Y167WwAAAABJRU5ErkJggg==\",\"mimeType\":\"image/png\"}}]}"
//   harness:  conformance run env:langchain-js-google-genai --provider gemini --scenario binary_image.one_image --delivery blocking --rule common.binary.image-kept
