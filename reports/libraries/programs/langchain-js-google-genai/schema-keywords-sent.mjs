// npm install @langchain/google-genai@2.3.2 @langchain/core

// declare.schema_keywords/blocking on gemini, without the harness: this program is the provider, too.

import { createServer } from "node:http";
import { inspect } from "node:util";

import { HumanMessage } from "@langchain/core/messages";
import { ChatGoogleGenerativeAI } from "@langchain/google-genai";

const ANSWERS = [
  [
    200,
    { "content-type": "application/json" },
    [
      '{"candidates":[{"content":{"parts":[{"functionCall":{"name":"draw","args":{"shape":{"kind":"d' +
        'ot","at":{"x":0.5,"y":-0.5}},"tags":["first"]},"id":"gzzvgv3e"}}],"role":"model"},"finishReas' +
        'on":"STOP","index":0,"finishMessage":"Model generated function call(s)."}],"usageMetadata":{"' +
        'promptTokenCount":11,"candidatesTokenCount":7,"totalTokenCount":18},"modelVersion":"test-mode' +
        'l","responseId":"pFMwnN4UeAEyBURLxVEQNM"}',
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

const messages = [new HumanMessage("Draw a dot at the origin.")];
const tools = [
  {
    type: "function",
    function: {
      name: "draw",
      description: "Draw shapes",
      parameters: {
        type: "object",
        $schema: "https://json-schema.org/draft/2020-12/schema",
        $defs: {
          point: {
            type: "object",
            properties: { x: { type: "number" }, y: { type: "number" } },
            required: ["x", "y"],
            additionalProperties: false,
          },
        },
        properties: {
          shape: {
            oneOf: [
              {
                type: "object",
                properties: { kind: { const: "dot" }, at: { $ref: "#/$defs/point" } },
                required: ["kind", "at"],
              },
              {
                type: "object",
                properties: { kind: { const: "line" }, to: { $ref: "#/$defs/point" } },
                required: ["kind", "to"],
              },
            ],
          },
          width: { type: ["number", "null"], exclusiveMinimum: 0 },
          tags: { type: "array", items: { type: "string", pattern: "^[a-z]+$" }, uniqueItems: true },
        },
        required: ["shape"],
        additionalProperties: false,
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

// gemini.declare.schema-subset-in-parameters: When parameters is used, only fields of Schema appear in it: one
//   upper- or lower-case type, enum of strings, anyOf, nullable... but no $schema, $ref/$defs,
//   additionalProperties, const, oneOf/allOf, exclusiveMinimum, multipleOf, type lists.
//   at:       /tools/0/functionDeclarations/0/parameters/$defs in request 1
//   expected: a field of Schema
//   found:    $defs
//   harness:  conformance run env:langchain-js-google-genai --provider gemini --scenario declare.schema_keywords --delivery blocking --rule gemini.declare.schema-subset-in-parameters
