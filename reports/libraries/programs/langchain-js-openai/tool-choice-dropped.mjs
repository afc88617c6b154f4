// npm install @langchain/openai@1.6.0 @langchain/core

// tool_choice.none/blocking on openai-responses, without the harness: this program is the provider, too.

import { createServer } from "node:http";
import { inspect } from "node:util";

import { HumanMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";

const ANSWERS = [
  [
    200,
    { "content-type": "application/json" },
    [
      '{"id":"resp_FZjXxZ9NVw28PveAhNyt6pZYccLGEcB7F9nSSuXZsSwaNqGg","object":"response","created_at' +
        '":1760000000,"status":"completed","background":false,"completed_at":1760000002,"error":null,"' +
        'frequency_penalty":0.0,"incomplete_details":null,"instructions":null,"max_output_tokens":null' +
        ',"max_tool_calls":null,"model":"test-model","output":[{"id":"msg_iAoCmoiwEuwKUCkWU8Y2RmEjUetA' +
        'YCv2AssC3yyivxZGCGx6","type":"message","status":"completed","content":[{"type":"output_text",' +
        '"annotations":[],"logprobs":[],"text":"With `ls -a`."}],"role":"assistant"}],"parallel_tool_c' +
        'alls":true,"presence_penalty":0.0,"previous_response_id":null,"prompt_cache_key":null,"prompt' +
        '_cache_retention":null,"reasoning":{"effort":null,"summary":null},"safety_identifier":null,"s' +
        'ervice_tier":"default","store":true,"temperature":1.0,"text":{"format":{"type":"text"},"verbo' +
        'sity":"medium"},"tool_choice":"auto","tools":[],"top_logprobs":0,"top_p":1.0,"truncation":"di' +
        'sabled","usage":{"input_tokens":11,"input_tokens_details":{"cache_write_tokens":0,"cached_tok' +
        'ens":0},"output_tokens":7,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":18},"' +
        'user":null,"metadata":{}}',
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

const model = new ChatOpenAI({
  model: "test-model",
  maxTokens: 1024,
  maxRetries: 0,
  apiKey: "test-key",
  configuration: { baseURL: BASE_URL + "/v1" },
  useResponsesApi: true,
  zdrEnabled: true,
});

const messages = [new HumanMessage("How would you list hidden files?")];
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
  return model.bindTools(tools, { tool_choice: "none" }).invoke(messages);
}

let answer = await ask();
console.log("\n<--", inspect(answer, { depth: null }));

server.close();

// responses.choose.mode-mapping: tool_choice is "auto", "none" or "required" as the application chose; a forced
//   tool is flat {type:"function", name}, one of the provider's own {type}.
//   at:       /tool_choice in request 1
//   expected: none
//   found:    null
//   harness:  conformance run env:langchain-js-openai --provider openai-responses --scenario tool_choice.none --delivery blocking --rule responses.choose.mode-mapping
