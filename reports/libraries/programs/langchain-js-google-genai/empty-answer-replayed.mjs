// npm install @langchain/google-genai@2.3.2 @langchain/core

// multi_turn.empty_answer/blocking on gemini, without the harness: this program is the provider, too.

import { createServer } from "node:http";
import { inspect } from "node:util";

import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { ChatGoogleGenerativeAI } from "@langchain/google-genai";

const ANSWERS = [
  [
    200,
    { "content-type": "application/json" },
    [
      '{"candidates":[{"content":{"parts":[{"functionCall":{"name":"write_file","args":{"file_path":' +
        '"/srv/app/list.json","content":"[]"},"id":"loagnfna"}}],"role":"model"},"finishReason":"STOP"' +
        ',"index":0,"finishMessage":"Model generated function call(s)."}],"usageMetadata":{"promptToke' +
        'nCount":11,"candidatesTokenCount":7,"totalTokenCount":18},"modelVersion":"test-model","respon' +
        'seId":"oGVzNx5iDumJxytPR8uUA4"}',
    ],
  ],
  [
    200,
    { "content-type": "application/json" },
    [
      '{"candidates":[{"content":{"role":"model"},"finishReason":"STOP","index":0}],"usageMetadata":' +
        '{"promptTokenCount":11,"candidatesTokenCount":7,"totalTokenCount":18},"modelVersion":"test-mo' +
        'del","responseId":"nkRQaa5JQZcKhQzEUUTXNj"}',
    ],
  ],
  [
    200,
    { "content-type": "application/json" },
    [
      '{"candidates":[{"content":{"parts":[{"text":"Yes, the file holds an empty list."}],"role":"mo' +
        'del"},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":11,"candidatesTok' +
        'enCount":7,"totalTokenCount":18},"modelVersion":"test-model","responseId":"awoSouaPsgAENbjuXm' +
        'b5RX"}',
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

const messages = [new HumanMessage("Save an empty list.")];
const tools = [
  {
    type: "function",
    function: {
      name: "write_file",
      description: "Write a file",
      parameters: {
        type: "object",
        properties: {
          file_path: { type: "string", description: "The absolute path of the file" },
          content: { type: "string", description: "What to write" },
        },
        required: ["file_path", "content"],
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
  content: "Wrote 2 bytes to /srv/app/list.json",
  tool_call_id: calls[0].id,
  name: "write_file",
}));
answer = await ask();
console.log("\n<--", inspect(answer, { depth: null }));
messages.push(answer);
messages.push(new HumanMessage("Did it work?"));
answer = await ask();
console.log("\n<--", inspect(answer, { depth: null }));

server.close();

// gemini.history.contents-container: The conversation is contents[] with parts[]: no messages, input, prompt or
//   content; every content has a part, and no part has two data fields.
//   at:       /contents/3/parts in request 3
//   expected: at least one part
//   found:    []
//   harness:  conformance run env:langchain-js-google-genai --provider gemini --scenario multi_turn.empty_answer --delivery blocking --rule gemini.history.contents-container
