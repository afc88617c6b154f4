// npm install @langchain/google-genai@2.3.2 @langchain/core

// errors.safety/blocking on gemini, without the harness: this program is the provider, too.

import { createServer } from "node:http";
import { inspect } from "node:util";

import { HumanMessage } from "@langchain/core/messages";
import { ChatGoogleGenerativeAI } from "@langchain/google-genai";

const ANSWERS = [
  [
    200,
    { "content-type": "application/json" },
    [
      '{"candidates":[{"finishReason":"SAFETY","index":0}],"usageMetadata":{"promptTokenCount":11,"c' +
        'andidatesTokenCount":7,"totalTokenCount":18},"modelVersion":"test-model","responseId":"bCNNhB' +
        '3g9rwdS2CmCu93Xf"}',
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

const messages = [new HumanMessage("Describe the picture in detail.")];
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

server.close();

// common.parse.usage-kept: The tokens that the provider counted are told, input and output apart.
//   at:       /usage in what the library makes of answer 1
//   expected: {"input_tokens": 11, "output_tokens": 7}
//   found:    null
//   harness:  conformance run env:langchain-js-google-genai --provider gemini --scenario errors.safety --delivery blocking --rule common.parse.usage-kept
