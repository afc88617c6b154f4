// npm install @langchain/openai@1.6.0 @langchain/core

// quirks.no_deltas/stream:per-event on openai-responses, without the harness: this program is the provider, too.

import { createServer } from "node:http";
import { inspect } from "node:util";

import { HumanMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";

const ANSWERS = [
  [
    200,
    { "content-type": "text/event-stream; charset=utf-8" },
    [
      "event: response.created\n" +
        'data: {"type":"response.created","sequence_number":0,"response":{"id":"resp_zZorLFT3cyz49jxeE' +
        'dcXUcdxm4hVkTWYpPGF7uJxqb8FEkDj","object":"response","created_at":1760000000,"status":"in_pro' +
        'gress","background":false,"completed_at":null,"error":null,"frequency_penalty":0.0,"incomplet' +
        'e_details":null,"instructions":null,"max_output_tokens":null,"max_tool_calls":null,"model":"t' +
        'est-model","output":[],"parallel_tool_calls":true,"presence_penalty":0.0,"previous_response_i' +
        'd":null,"prompt_cache_key":null,"prompt_cache_retention":null,"reasoning":{"effort":null,"sum' +
        'mary":null},"safety_identifier":null,"service_tier":"default","store":true,"temperature":1.0,' +
        '"text":{"format":{"type":"text"},"verbosity":"medium"},"tool_choice":"auto","tools":[],"top_l' +
        'ogprobs":0,"top_p":1.0,"truncation":"disabled","usage":null,"user":null,"metadata":{}}}\n\n',
      "event: response.in_progress\n" +
        'data: {"type":"response.in_progress","sequence_number":1,"response":{"id":"resp_zZorLFT3cyz49' +
        'jxeEdcXUcdxm4hVkTWYpPGF7uJxqb8FEkDj","object":"response","created_at":1760000000,"status":"in' +
        '_progress","background":false,"completed_at":null,"error":null,"frequency_penalty":0.0,"incom' +
        'plete_details":null,"instructions":null,"max_output_tokens":null,"max_tool_calls":null,"model' +
        '":"test-model","output":[],"parallel_tool_calls":true,"presence_penalty":0.0,"previous_respon' +
        'se_id":null,"prompt_cache_key":null,"prompt_cache_retention":null,"reasoning":{"effort":null,' +
        '"summary":null},"safety_identifier":null,"service_tier":"default","store":true,"temperature":' +
        '1.0,"text":{"format":{"type":"text"},"verbosity":"medium"},"tool_choice":"auto","tools":[],"t' +
        'op_logprobs":0,"top_p":1.0,"truncation":"disabled","usage":null,"user":null,"metadata":{}}}\n' +
        "\n",
      "event: response.output_item.added\n" +
        'data: {"type":"response.output_item.added","sequence_number":2,"output_index":0,"item":{"id":' +
        '"fc_NgCkSeQMNQbUt3Ab8XdhFWvsAuZH6D8nvxfuEeBqAMBdUgSG","type":"function_call","status":"in_pro' +
        'gress","arguments":"","call_id":"call_a4EaUrQ5TSFW9jr662YkVGgS","name":"read_file"}}\n\n',
      "event: response.function_call_arguments.done\n" +
        'data: {"type":"response.function_call_arguments.done","sequence_number":3,"item_id":"fc_NgCkS' +
        'eQMNQbUt3Ab8XdhFWvsAuZH6D8nvxfuEeBqAMBdUgSG","output_index":0,"arguments":"{\\"absolute_path' +
        '\\":\\"/srv/a.txt\\",\\"limit\\":10}"}\n\n',
      "event: response.output_item.done\n" +
        'data: {"type":"response.output_item.done","sequence_number":4,"output_index":0,"item":{"id":"' +
        'fc_NgCkSeQMNQbUt3Ab8XdhFWvsAuZH6D8nvxfuEeBqAMBdUgSG","type":"function_call","status":"complet' +
        'ed","arguments":"{\\"absolute_path\\":\\"/srv/a.txt\\",\\"limit\\":10}","call_id":"call_a4EaU' +
        'rQ5TSFW9jr662YkVGgS","name":"read_file"}}\n\n',
      "event: response.completed\n" +
        'data: {"type":"response.completed","sequence_number":5,"response":{"id":"resp_zZorLFT3cyz49jx' +
        'eEdcXUcdxm4hVkTWYpPGF7uJxqb8FEkDj","object":"response","created_at":1760000000,"status":"comp' +
        'leted","background":false,"completed_at":1760000002,"error":null,"frequency_penalty":0.0,"inc' +
        'omplete_details":null,"instructions":null,"max_output_tokens":null,"max_tool_calls":null,"mod' +
        'el":"test-model","output":[{"id":"fc_NgCkSeQMNQbUt3Ab8XdhFWvsAuZH6D8nvxfuEeBqAMBdUgSG","type"' +
        ':"function_call","status":"completed","arguments":"{\\"absolute_path\\":\\"/srv/a.txt\\",\\"l' +
        'imit\\":10}","call_id":"call_a4EaUrQ5TSFW9jr662YkVGgS","name":"read_file"}],"parallel_tool_ca' +
        'lls":true,"presence_penalty":0.0,"previous_response_id":null,"prompt_cache_key":null,"prompt_' +
        'cache_retention":null,"reasoning":{"effort":null,"summary":null},"safety_identifier":null,"se' +
        'rvice_tier":"default","store":true,"temperature":1.0,"text":{"format":{"type":"text"},"verbos' +
        'ity":"medium"},"tool_choice":"auto","tools":[],"top_logprobs":0,"top_p":1.0,"truncation":"dis' +
        'abled","usage":{"input_tokens":11,"input_tokens_details":{"cache_write_tokens":0,"cached_toke' +
        'ns":0},"output_tokens":7,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":18},"u' +
        'ser":null,"metadata":{}}}\n\n',
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
  let whole;
  for await (const chunk of await model.bindTools(tools).stream(messages)) {
    whole = whole ? whole.concat(chunk) : chunk;
  }
  return whole;
}

let answer = await ask();
console.log("\n<--", inspect(answer, { depth: null }));

server.close();

// common.stream.equivalent-to-non-stream: A stream is understood as the same turn (text, calls, ids, arguments,
//   stop, usage) as the equivalent blocking response, however its bytes are cut.
//   at:       /calls/0/arguments in what the library makes of answer 1
//   expected: {"absolute_path": "/srv/a.txt", "limit": 10}
//   found:    {}
//   harness:  conformance run env:langchain-js-openai --provider openai-responses --scenario quirks.no_deltas --delivery stream:per-event --rule common.stream.equivalent-to-non-stream
