# pip install litellm[mcp]==1.106.2

# multi_turn.empty_answer/blocking on openai-responses, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import litellm

ANSWERS = [
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"id":"resp_oGVzNx5iDumJxytPR8uUA4mpXE3MDMPTjvJxPmpdBTX35oBq","object":"response","created_'
             b'at":1760000000,"status":"completed","background":false,"completed_at":1760000002,"error":nu'
             b'll,"frequency_penalty":0.0,"incomplete_details":null,"instructions":null,"max_output_tokens'
             b'":null,"max_tool_calls":null,"model":"test-model","output":[{"id":"fc_MsnHdu7gRWT99wP7U6Sib'
             b't72sHej2d4dbshwn9kAYdv6tCoK","type":"function_call","status":"completed","arguments":"{\\"f'
             b'ile_path\\":\\"/srv/app/list.json\\",\\"content\\":\\"[]\\"}","call_id":"call_LoAGnFnaTiNyP'
             b'ZqMHqkDqNFX","name":"write_file"}],"parallel_tool_calls":true,"presence_penalty":0.0,"previ'
             b'ous_response_id":null,"prompt_cache_key":null,"prompt_cache_retention":null,"reasoning":{"e'
             b'ffort":null,"summary":null},"safety_identifier":null,"service_tier":"default","store":true,'
             b'"temperature":1.0,"text":{"format":{"type":"text"},"verbosity":"medium"},"tool_choice":"aut'
             b'o","tools":[],"top_logprobs":0,"top_p":1.0,"truncation":"disabled","usage":{"input_tokens":'
             b'11,"input_tokens_details":{"cache_write_tokens":0,"cached_tokens":0},"output_tokens":7,"out'
             b'put_tokens_details":{"reasoning_tokens":0},"total_tokens":18},"user":null,"metadata":{}}'),
        ],
    ),
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"id":"resp_nkRQaa5JQZcKhQzEUUTXNjCnxMCfLj3VFedWgTxwqADFjj7H","object":"response","created_'
             b'at":1760000000,"status":"completed","background":false,"completed_at":1760000002,"error":nu'
             b'll,"frequency_penalty":0.0,"incomplete_details":null,"instructions":null,"max_output_tokens'
             b'":null,"max_tool_calls":null,"model":"test-model","output":[],"parallel_tool_calls":true,"p'
             b'resence_penalty":0.0,"previous_response_id":null,"prompt_cache_key":null,"prompt_cache_rete'
             b'ntion":null,"reasoning":{"effort":null,"summary":null},"safety_identifier":null,"service_ti'
             b'er":"default","store":true,"temperature":1.0,"text":{"format":{"type":"text"},"verbosity":"'
             b'medium"},"tool_choice":"auto","tools":[],"top_logprobs":0,"top_p":1.0,"truncation":"disable'
             b'd","usage":{"input_tokens":11,"input_tokens_details":{"cache_write_tokens":0,"cached_tokens'
             b'":0},"output_tokens":7,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":18},"u'
             b'ser":null,"metadata":{}}'),
        ],
    ),
]


class Provider(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        if not {"messages", "contents", "input"} & json.loads(body).keys():
            return self.send_error(404)  # not a model call
        print(f"\n--> POST {self.path}\n{body.decode()}", flush=True)
        status, headers, chunks = ANSWERS.pop(0) if len(ANSWERS) > 1 else ANSWERS[0]
        self.send_response(status)
        for name, value in {**headers, "transfer-encoding": "chunked"}.items():
            self.send_header(name, value)
        self.end_headers()
        for chunk in [*chunks, b""]:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))

    def log_message(self, *args):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
server.handle_error = lambda *args: None  # a client that hangs up
threading.Thread(target=server.serve_forever, daemon=True).start()
BASE_URL = f"http://127.0.0.1:{server.server_port}"

messages = [{"role": "user", "content": "Save an empty list."}]
tools = [
    {
        "type": "function",
        "function": {
            "name": "write_file",
            "description": "Write a file",
            "parameters": {
                "type": "object",
                "properties": {
                    "file_path": {"type": "string", "description": "The absolute path of the file"},
                    "content": {"type": "string", "description": "What to write"},
                },
                "required": ["file_path", "content"],
            },
        },
    },
]


def ask():
    return litellm.completion(
        model="openai/responses/gpt-5",
        messages=messages,
        max_tokens=1024,
        tools=tools,
        api_base=BASE_URL + "/v1",
        api_key="test-key",
        max_retries=0,
    )


answer = ask()
print(f"\n<-- {answer!r}")
messages.append(answer.choices[0].message)
calls = messages[-1].tool_calls or []
messages += [
    {
        "role": "tool",
        "tool_call_id": calls[0].id,
        "name": "write_file",
        "content": "Wrote 2 bytes to /srv/app/list.json",
    },
]
answer = ask()
print(f"\n<-- {answer!r}")

# common.adapter.completes: Every operation that the adapter declares returns a value of the right type, within
#   the time limit and without raising.
#   at:       (whole) in what the library makes of answer 2
#   expected: a turn from complete
#   found:    complete raised APIConnectionError: litellm.APIConnectionError: APIConnectionError: OpenAIException - Unknown items in responses API response: []
#   harness:  conformance run env:litellm --provider openai-responses --scenario multi_turn.empty_answer --delivery blocking --rule common.adapter.completes
