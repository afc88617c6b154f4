// npm install @langchain/google-genai@2.3.2 @langchain/core

// errors.overloaded/blocking on gemini, without the harness: this program is the provider, too.

import { createServer } from "node:http";
import { inspect } from "node:util";

import { HumanMessage } from "@langchain/core/messages";
import { ChatGoogleGenerativeAI } from "@langchain/google-genai";

const ANSWERS = [
  [
    503,
    { "content-type": "application/json" },
    ['{"error":{"code":503,"message":"Overloaded","status":"UNAVAILABLE"}}'],
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

const messages = [new HumanMessage("Read a.txt.")];
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

let answer;
try {
  answer = await ask();
  console.log("\n<--", inspect(answer, { depth: null }));
} catch (problem) {
  console.log("\n<--", inspect(problem, { depth: 4 }));
}

server.close();

// gemini.error.body-shape: Errors are read from {error:{code:int,message,status,details?}}, also in an array of
//   one (streaming endpoint) and as a chunk of a stream.
//   at:       /error/type in what the library makes of answer 1
//   expected: UNAVAILABLE
//   found:    null
//   harness:  conformance run env:langchain-js-google-genai --provider gemini --scenario errors.overloaded --delivery blocking --rule gemini.error.body-shape
