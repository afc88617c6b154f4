// npm install @langchain/google-genai@2.3.2 @langchain/core

// reasoning.no_call/blocking on gemini, without the harness: this program is the provider, too.

import { createServer } from "node:http";
import { inspect } from "node:util";

import { HumanMessage } from "@langchain/core/messages";
import { ChatGoogleGenerativeAI } from "@langchain/google-genai";

const ANSWERS = [
  [
    200,
    { "content-type": "application/json" },
    [
      '{"candidates":[{"content":{"parts":[{"text":"2027 is not divisible by 2, 3, 5, 7, 11, 13, 17,' +
        ' 19, 23, 29, 31, 37, 41 or 43.","thought":true},{"text":"Yes, 2027 is prime.","thoughtSignatu' +
        're":"+/8k2anfO+di7hRIw671YzVA0YzEf/GFvOS2Hbgo1oh6106KpG1Qkpno3lBukgc9o/mqmRSC2bQvVLNv43LVWxaH' +
        'VUzrDGe7Cuvaq6kVfAZ9RgBdBKn1S1OXstfMy9CIEM0="}],"role":"model"},"finishReason":"STOP","index"' +
        ':0}],"usageMetadata":{"promptTokenCount":11,"candidatesTokenCount":7,"totalTokenCount":18},"m' +
        'odelVersion":"test-model","responseId":"EybPPJjPKVFTSvJdkLwGRi"}',
    ],
  ],
  [
    200,
    { "content-type": "application/json" },
    [
      '{"candidates":[{"content":{"parts":[{"text":"A short command counts them.","thought":true},{"' +
        'functionCall":{"name":"run_shell_command","args":{"command":"seq 2 2026 | factor | awk \'NF==' +
        '2\' | wc -l"},"id":"fyjvdker"},"thoughtSignature":"+/8dFrP3G+0E0997E2335nvkCeWAfNokakZnII6dhQ' +
        'KNcTaisCTZBcigexfaPm5hSFiLjrdBr+buVWSRiKfBDs7d4WZSqjqczHAFDuTx2FejPySgdTxF304dqJqNn7A6m9U="}]' +
        ',"role":"model"},"finishReason":"STOP","index":0,"finishMessage":"Model generated function ca' +
        'll(s)."}],"usageMetadata":{"promptTokenCount":11,"candidatesTokenCount":7,"totalTokenCount":1' +
        '8},"modelVersion":"test-model","responseId":"nJshXwscuW3YLDMBVPi9nU"}',
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
  thinkingConfig: { includeThoughts: true },
});

const messages = [new HumanMessage("Is 2027 a prime number?")];
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
  return model.bindTools(tools).invoke(messages);
}

let answer = await ask();
console.log("\n<--", inspect(answer, { depth: null }));
messages.push(answer);
messages.push(new HumanMessage("Count the primes below it."));
answer = await ask();
console.log("\n<--", inspect(answer, { depth: null }));

server.close();

// gemini.history.thought-signature-verbatim: A thoughtSignature is replayed to the model that made it,
//   unchanged, on the call it came on, in every step of a chain; one that came on a text comes back on that text
//   or on an empty text part.
//   at:       /contents/1/parts in request 2
//   expected: {"thoughtSignature": "+/8k2anfO+di7hRIw671YzVA0YzEf/GFvOS2Hbgo1oh6106KpG1Qkpno3lBukgc9o/mqmRSC2bQvVLNv43LVWxaHVUzrDGe7Cuvaq6kVfAZ9RgBdBKn1S1OXstfMy9CIEM0="}
//   found:    no part with it
//   harness:  conformance run env:langchain-js-google-genai --provider gemini --scenario reasoning.no_call --delivery blocking --rule gemini.history.thought-signature-verbatim
