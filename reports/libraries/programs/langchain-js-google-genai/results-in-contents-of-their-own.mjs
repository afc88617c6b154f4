// npm install @langchain/google-genai@2.3.2 @langchain/core

// handoff.similar_ids/blocking on gemini, without the harness: this program is the provider, too.

import { createServer } from "node:http";
import { inspect } from "node:util";

import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { ChatGoogleGenerativeAI } from "@langchain/google-genai";

const ANSWERS = [
  [
    200,
    { "content-type": "application/json" },
    [
      '{"candidates":[{"content":{"parts":[{"text":"I cannot tell from the files."}],"role":"model"}' +
        ',"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":11,"candidatesTokenCou' +
        'nt":7,"totalTokenCount":18},"modelVersion":"test-model","responseId":"qdXMotP4yQ7uyg6X7LPd8C"' +
        "}",
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

const messages = [
  new HumanMessage("Compare the two configs."),
  new AIMessage({
    content: "",
    tool_calls: [
      {
        type: "tool_call",
        id: "run:2026-03-04T09:12:55/thread:7f3b9c1e5d2a4860b1c3d5e7f9a1b3c5/step:1/call:1",
        name: "read_file",
        args: { absolute_path: "/srv/old.yaml" },
      },
      {
        type: "tool_call",
        id: "run:2026-03-04T09:12:55/thread:7f3b9c1e5d2a4860b1c3d5e7f9a1b3c5/step:1/call:2",
        name: "read_file",
        args: { absolute_path: "/srv/new.yaml" },
      },
    ],
  }),
  new ToolMessage({
    content: "port: 80\n",
    tool_call_id: "run:2026-03-04T09:12:55/thread:7f3b9c1e5d2a4860b1c3d5e7f9a1b3c5/step:1/call:1",
    name: "read_file",
  }),
  new ToolMessage({
    content: "port: 8080\n",
    tool_call_id: "run:2026-03-04T09:12:55/thread:7f3b9c1e5d2a4860b1c3d5e7f9a1b3c5/step:1/call:2",
    name: "read_file",
  }),
  new AIMessage({ content: "The port changed from 80 to 8080.", tool_calls: [] }),
  new HumanMessage("Which one is in use?"),
];
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

// gemini.result.one-content: All functionResponse parts of a turn stand in one content.
//   at:       /contents/3 in request 1
//   expected: all function responses in /contents/2
//   found:    ["/contents/2", "/contents/3"]
//   harness:  conformance run env:langchain-js-google-genai --provider gemini --scenario handoff.similar_ids --delivery blocking --rule gemini.result.one-content
