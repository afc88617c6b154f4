// npm install @langchain/openai@1.6.0 @langchain/core

// quirks.unknown_fields/blocking on openai-responses, without the harness: this program is the provider, too.

import { createServer } from "node:http";
import { inspect } from "node:util";

import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";

const ANSWERS = [
  [
    200,
    { "content-type": "application/json" },
    [
      '{"id":"resp_q4ecTmH3qcAMxCNjtRag9DxDQ526cCMYdBAfzkccLafmaaqF","object":"response","created_at' +
        '":1760000000,"status":"completed","background":false,"completed_at":1760000002,"error":null,"' +
        'frequency_penalty":0.0,"incomplete_details":null,"instructions":null,"max_output_tokens":null' +
        ',"max_tool_calls":null,"model":"test-model","output":[{"id":"xu_EhZpQaanhSA2AZ5BbtgaPKkadyBHo' +
        '6m2TiVjNDSzq4pQf5Hd","type":"x_unknown_call","status":"completed","input":"?","x_unknown":{"n' +
        'ested":[1]}},{"id":"msg_3YBWNhUy9a2fMHJZZRSZ6E9NJoghVHK2pu9sLgNQLQptZaZg","type":"message","s' +
        'tatus":"completed","content":[{"type":"output_text","annotations":[],"logprobs":[],"text":"I ' +
        'will.","x_unknown":{"nested":[1]}}],"role":"assistant","x_unknown":{"nested":[1]}},{"id":"fc_' +
        'KwcuajkUcxDAGQ3SZp8uprZDxKrqTb75yhdnW7wm8fuGAHEv","type":"function_call","status":"completed"' +
        ',"arguments":"{\\"absolute_path\\":\\"/srv/a.txt\\"}","call_id":"call_JfJz6H2Eeh7RuXSzH3zVSW9' +
        'v","name":"read_file","x_unknown":{"nested":[1]}}],"parallel_tool_calls":true,"presence_penal' +
        'ty":0.0,"previous_response_id":null,"prompt_cache_key":null,"prompt_cache_retention":null,"re' +
        'asoning":{"effort":null,"summary":null,"x_unknown":{"nested":[1]}},"safety_identifier":null,"' +
        'service_tier":"default","store":true,"temperature":1.0,"text":{"format":{"type":"text","x_unk' +
        'nown":{"nested":[1]}},"verbosity":"medium","x_unknown":{"nested":[1]}},"tool_choice":"auto","' +
        'tools":[],"top_logprobs":0,"top_p":1.0,"truncation":"disabled","usage":{"input_tokens":11,"in' +
        'put_tokens_details":{"cache_write_tokens":0,"cached_tokens":0,"x_unknown":{"nested":[1]}},"ou' +
        'tput_tokens":7,"output_tokens_details":{"reasoning_tokens":0,"x_unknown":{"nested":[1]}},"tot' +
        'al_tokens":18,"x_unknown":{"nested":[1]}},"user":null,"metadata":{},"x_unknown":{"nested":[1]' +
        "}}",
    ],
  ],
  [
    200,
    { "content-type": "application/json" },
    [
      '{"id":"resp_yiwTP6HsRSJNEy72mHfAixH8NzYTX8RHi6fic6vA9tr8wKTD","object":"response","created_at' +
        '":1760000000,"status":"completed","background":false,"completed_at":1760000002,"error":null,"' +
        'frequency_penalty":0.0,"incomplete_details":null,"instructions":null,"max_output_tokens":null' +
        ',"max_tool_calls":null,"model":"test-model","output":[{"id":"xu_F8oRJaZeghL2XbHdxT76z4cmCyKnE' +
        'yodTeCH5E3HLxLxk5VU","type":"x_unknown_call","status":"completed","input":"?","x_unknown":{"n' +
        'ested":[1]}},{"id":"msg_jZnoMKDizxGX9YoTcWMMyeV7ziU657Qs4ohS3U5NYhnRD59d","type":"message","s' +
        'tatus":"completed","content":[{"type":"output_text","annotations":[],"logprobs":[],"text":"It' +
        ' says hello.","x_unknown":{"nested":[1]}}],"role":"assistant","x_unknown":{"nested":[1]}}],"p' +
        'arallel_tool_calls":true,"presence_penalty":0.0,"previous_response_id":null,"prompt_cache_key' +
        '":null,"prompt_cache_retention":null,"reasoning":{"effort":null,"summary":null,"x_unknown":{"' +
        'nested":[1]}},"safety_identifier":null,"service_tier":"default","store":true,"temperature":1.' +
        '0,"text":{"format":{"type":"text","x_unknown":{"nested":[1]}},"verbosity":"medium","x_unknown' +
        '":{"nested":[1]}},"tool_choice":"auto","tools":[],"top_logprobs":0,"top_p":1.0,"truncation":"' +
        'disabled","usage":{"input_tokens":11,"input_tokens_details":{"cache_write_tokens":0,"cached_t' +
        'okens":0,"x_unknown":{"nested":[1]}},"output_tokens":7,"output_tokens_details":{"reasoning_to' +
        'kens":0,"x_unknown":{"nested":[1]}},"total_tokens":18,"x_unknown":{"nested":[1]}},"user":null' +
        ',"metadata":{},"x_unknown":{"nested":[1]}}',
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
//   found:    complete raised TypeError: Unsupported response item type: x_unknown_call
//   harness:  conformance run env:langchain-js-openai --provider openai-responses --scenario quirks.unknown_fields --delivery blocking --rule common.adapter.completes
