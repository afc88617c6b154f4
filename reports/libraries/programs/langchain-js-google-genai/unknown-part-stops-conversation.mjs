// npm install @langchain/google-genai@2.3.2 @langchain/core

// quirks.unknown_fields/blocking on gemini, without the harness: this program is the provider, too.

import { createServer } from "node:http";
import { inspect } from "node:util";

import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { ChatGoogleGenerativeAI } from "@langchain/google-genai";

const ANSWERS = [
  [
    200,
    { "content-type": "application/json" },
    [
      '{"candidates":[{"content":{"parts":[{"xUnknownPart":{"nested":[1]}},{"text":"I will.","xUnkno' +
        'wn":{"nested":[1]}},{"functionCall":{"name":"read_file","args":{"absolute_path":"/srv/a.txt"}' +
        ',"id":"jfjz6h2e","xUnknown":{"nested":[1]}},"xUnknown":{"nested":[1]}}],"role":"model","xUnkn' +
        'own":{"nested":[1]}},"finishReason":"STOP","index":0,"finishMessage":"Model generated functio' +
        'n call(s).","xUnknown":{"nested":[1]}}],"usageMetadata":{"promptTokenCount":11,"candidatesTok' +
        'enCount":7,"totalTokenCount":18,"xUnknown":{"nested":[1]}},"modelVersion":"test-model","respo' +
        'nseId":"q4ecTmH3qcAMxCNjtRag9D","xUnknown":{"nested":[1]}}',
    ],
  ],
  [
    200,
    { "content-type": "application/json" },
    [
      '{"candidates":[{"content":{"parts":[{"xUnknownPart":{"nested":[1]}},{"text":"It says hello.",' +
        '"xUnknown":{"nested":[1]}}],"role":"model","xUnknown":{"nested":[1]}},"finishReason":"STOP","' +
        'index":0,"xUnknown":{"nested":[1]}}],"usageMetadata":{"promptTokenCount":11,"candidatesTokenC' +
        'ount":7,"totalTokenCount":18,"xUnknown":{"nested":[1]}},"modelVersion":"test-model","response' +
        'Id":"yiwTP6HsRSJNEy72mHfAix","xUnknown":{"nested":[1]}}',
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

let answer = await ask();
console.log("\n<--", inspect(answer, { depth: null }));
messages.push(answer);
let calls = [...answer.tool_calls, ...answer.invalid_tool_calls];
messages.push(new ToolMessage({ content: "hello", tool_call_id: calls[0].id, name: "read_file" }));
answer = await ask();
console.log("\n<--", inspect(answer, { depth: null }));

server.close();

// common.adapter.completes: Every operation that the adapter declares returns a value of the right type, within
//   the time limit and without raising.
//   at:       (whole) in what the library makes of answer 2
//   expected: a request from complete
//   found:    complete raised Error: Unknown content {"xUnknownPart":{"nested":[1]}}
//   harness:  conformance run env:langchain-js-google-genai --provider gemini --scenario quirks.unknown_fields --delivery blocking --rule common.adapter.completes
