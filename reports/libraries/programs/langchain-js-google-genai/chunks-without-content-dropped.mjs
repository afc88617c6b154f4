// npm install @langchain/google-genai@2.3.2 @langchain/core

// errors.safety/stream:per-event on gemini, without the harness: this program is the provider, too.

import { createServer } from "node:http";
import { inspect } from "node:util";

import { HumanMessage } from "@langchain/core/messages";
import { ChatGoogleGenerativeAI } from "@langchain/google-genai";

const ANSWERS = [
  [
    200,
    { "content-type": "text/event-stream; charset=utf-8" },
    [
      'data: {"candidates":[{"finishReason":"SAFETY","index":0}],"usageMetadata":{"promptTokenCount"' +
        ':11,"candidatesTokenCount":7,"totalTokenCount":18},"modelVersion":"test-model","responseId":"' +
        'bCNNhB3g9rwdS2CmCu93Xf"}\n\n',
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
  let whole;
  for await (const chunk of await model.bindTools(tools).stream(messages)) {
    whole = whole ? whole.concat(chunk) : chunk;
  }
  return whole;
}

let answer = await ask();
console.log("\n<--", inspect(answer, { depth: null }));

server.close();

// common.stream.equivalent-to-non-stream: A stream is understood as the same turn (text, calls, ids, arguments,
//   stop, usage) as the equivalent blocking response, however its bytes are cut.
//   at:       /stop in what the library makes of answer 1
//   expected: refusal
//   found:    incomplete
//   harness:  conformance run env:langchain-js-google-genai --provider gemini --scenario errors.safety --delivery stream:per-event --rule common.stream.equivalent-to-non-stream
