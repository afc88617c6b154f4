// npm install @langchain/google-genai@2.3.2 @langchain/core

// arguments.floats/blocking on gemini, without the harness: this program is the provider, too.

import { createServer } from "node:http";
import { inspect } from "node:util";

import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { ChatGoogleGenerativeAI } from "@langchain/google-genai";

const ANSWERS = [
  [
    200,
    { "content-type": "application/json" },
    [
      '{"candidates":[{"content":{"parts":[{"functionCall":{"name":"query_orders","args":{"filter":{' +
        '"lat":48.137154,"lon":-11.576124,"tolerance":1.5e-07,"price":{"min":19.99,"max":20.01},"rate"' +
        ':0.1}},"id":"tyef6a9a"}}],"role":"model"},"finishReason":"STOP","index":0,"finishMessage":"Mo' +
        'del generated function call(s)."}],"usageMetadata":{"promptTokenCount":11,"candidatesTokenCou' +
        'nt":7,"totalTokenCount":18},"modelVersion":"test-model","responseId":"3aykbunvLET4JQfMZP65EC"' +
        "}",
    ],
  ],
  [
    200,
    { "content-type": "application/json" },
    [
      '{"candidates":[{"content":{"parts":[{"text":"There are two."}],"role":"model"},"finishReason"' +
        ':"STOP","index":0}],"usageMetadata":{"promptTokenCount":11,"candidatesTokenCount":7,"totalTok' +
        'enCount":18},"modelVersion":"test-model","responseId":"Cg4xdWzcs9L3CYf8FbzZ4N"}',
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

const messages = [new HumanMessage("Find orders near the office that cost about 20.")];
const tools = [
  {
    type: "function",
    function: {
      name: "query_orders",
      description: "Search orders with a filter of any shape",
      parameters: {
        type: "object",
        properties: {
          filter: { type: "object", description: "The conditions" },
          include_items: { type: "boolean", description: "Whether to list the items of each order" },
          dry_run: { type: "boolean", description: "Whether only to count" },
        },
        required: ["filter"],
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
messages.push(new ToolMessage({ content: "2 orders", tool_call_id: calls[0].id, name: "query_orders" }));
answer = await ask();
console.log("\n<--", inspect(answer, { depth: null }));

server.close();

// gemini.ids.echoed-when-present: If the response carried functionCall.id, the same id is sent in the replayed
//   functionCall and in functionResponse.id.
//   at:       /contents/1/parts/0/functionCall/id in request 2
//   expected: tyef6a9a
//   found:    null
//   harness:  conformance run env:langchain-js-google-genai --provider gemini --scenario arguments.floats --delivery blocking --rule gemini.ids.echoed-when-present
