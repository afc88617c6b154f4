// npm install @ai-sdk/openai@4.0.118 ai

// quirks.unknown_fields/blocking on openai-responses, without the harness: this program is the provider, too.

import { createServer } from "node:http";
import { inspect } from "node:util";

import { createOpenAI } from "@ai-sdk/openai";
import { generateText, jsonSchema, tool } from "ai";

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

const provider = createOpenAI({ baseURL: BASE_URL + "/v1", apiKey: "test-key" });
const model = provider.responses("test-model");

const messages = [{ role: "user", content: "Read a.txt." }];
const tools = {
  read_file: tool({
    description: "Read a file",
    inputSchema: jsonSchema({
      type: "object",
      properties: {
        absolute_path: { type: "string", description: "The absolute path of the file" },
        offset: { type: "integer", description: "The first line to read" },
        limit: { type: "integer", description: "How many lines to read" },
      },
      required: ["absolute_path"],
    }),
  }),
};

async function ask() {
  const { text, toolCalls, finishReason, usage, response } = await generateText({
    model,
    messages,
    tools,
    maxOutputTokens: 1024,
    maxRetries: 0,
    providerOptions: { openai: { store: false } },
  });
  return { text, toolCalls, finishReason, usage, messages: response.messages };
}

let answer = await ask();
console.log("\n<--", inspect(answer, { depth: null }));

server.close();

// common.parse.unknown-fields-tolerated: Unknown response fields, block/item/event types and enum values are
//   ignored or kept opaque, never fatal.
//   at:       (whole) in what the library makes of answer 1
//   expected: the turn that the provider sent
//   found:    complete raised AI_APICallError: Invalid JSON response
//   harness:  conformance run env:ai-sdk-openai --provider openai-responses --scenario quirks.unknown_fields --delivery blocking --rule common.parse.unknown-fields-tolerated
