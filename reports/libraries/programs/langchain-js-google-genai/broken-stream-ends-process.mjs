// npm install @langchain/google-genai@2.3.2 @langchain/core

// errors.cut_in_arguments/stream:per-event on gemini, without the harness: this program is the provider, too.

import { createServer } from "node:http";
import { inspect } from "node:util";

import { HumanMessage } from "@langchain/core/messages";
import { ChatGoogleGenerativeAI } from "@langchain/google-genai";

const ANSWERS = [
  [
    200,
    { "content-type": "text/event-stream; charset=utf-8" },
    [
      'data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"run_shell_command","args":' +
        '{"command":"rm -rf /srv/\n\n',
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

const messages = [new HumanMessage("Clean up.")];
const tools = [
  {
    type: "function",
    function: {
      name: "run_shell_command",
      description: "Execute a shell command",
      parameters: {
        type: "object",
        properties: {
          command: { type: "string", description: "The command line to run" },
          directory: { type: "string", description: "Where to run it" },
          description: { type: "string", description: "What it is for" },
        },
        required: ["command"],
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

// common.stream.truncated-stream-not-complete: A stream that ends without its terminal marker (connection cut)
//   is flagged incomplete, and the call that was cut is not understood as one that can be run.
//   at:       (whole) in what the library makes of answer 1
//   expected: the turn that the provider sent
//   found:    complete raised Error: an unhandled rejection, which ends a process: Error: [GoogleGenerativeAI Error]: Error parsing JSON response: "{"candidates":[{"content":{"parts":[{"functionCall":{"name":"run_shell_command","args":{"command":"rm -rf /srv/"
//   harness:  conformance run env:langchain-js-google-genai --provider gemini --scenario errors.cut_in_arguments --delivery stream:per-event --rule common.stream.truncated-stream-not-complete
