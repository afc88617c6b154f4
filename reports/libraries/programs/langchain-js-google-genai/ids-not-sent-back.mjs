// npm install @langchain/google-genai@2.3.2 @langchain/core

// arguments.integral_floats/blocking on gemini, without the harness: this program is the provider, too.

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
        'h":"/srv/app/main.py","offset":0.0,"limit":5.0},"id":"8bszjmsz"}}],"role":"model"},"finishRea' +
        'son":"STOP","index":0,"finishMessage":"Model generated function call(s)."}],"usageMetadata":{' +
        '"promptTokenCount":11,"candidatesTokenCount":7,"totalTokenCount":18},"modelVersion":"test-mod' +
        'el","responseId":"LrycGf7dKYDjNe7VvZUQKg"}',
    ],
  ],
  [
    200,
    { "content-type": "application/json" },
    [
      '{"candidates":[{"content":{"parts":[{"text":"It has one line."}],"role":"model"},"finishReaso' +
        'n":"STOP","index":0}],"usageMetadata":{"promptTokenCount":11,"candidatesTokenCount":7,"totalT' +
        'okenCount":18},"modelVersion":"test-model","responseId":"eTYBaVa5KJN4CRq6kSkCRV"}',
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

const messages = [new HumanMessage("Show five lines.")];
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
messages.push(new ToolMessage({ content: "import sys\n", tool_call_id: calls[0].id, name: "read_file" }));
answer = await ask();
console.log("\n<--", inspect(answer, { depth: null }));

server.close();

// gemini.ids.echoed-when-present: If the response carried functionCall.id, the same id is sent in the replayed
//   functionCall and in functionResponse.id.
//   at:       /contents/1/parts/0/functionCall/id in request 2
//   expected: 8bszjmsz
//   found:    null
//   harness:  conformance run env:langchain-js-google-genai --provider gemini --scenario arguments.integral_floats --delivery blocking --rule gemini.ids.echoed-when-present
