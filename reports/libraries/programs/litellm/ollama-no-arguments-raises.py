# pip install litellm[mcp]==1.106.2

# no_arguments.missing/blocking on ollama, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import litellm

ANSWERS = [
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"model":"test-model","created_at":"2026-01-15T10:20:30.123456Z","message":{"role":"assista'
             b'nt","content":"","tool_calls":[{"id":"call_3k3tjvwn","function":{"index":0,"name":"git_stat'
             b'us"}}]},"done":true,"done_reason":"stop","total_duration":3067193667,"load_duration":948640'
             b'83,"prompt_eval_count":11,"prompt_eval_duration":73948792,"eval_count":7,"eval_duration":27'
             b"58205252}"),
        ],
    ),
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"model":"test-model","created_at":"2026-01-15T10:20:30.123456Z","message":{"role":"assista'
             b'nt","content":"Yes, it is clean."},"done":true,"done_reason":"stop","total_duration":306719'
             b'3667,"load_duration":94864083,"prompt_eval_count":11,"prompt_eval_duration":73948792,"eval_'
             b'count":7,"eval_duration":2758205252}'),
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

messages = [{"role": "user", "content": "Is the tree clean?"}]
tools = [
    {
        "type": "function",
        "function": {
            "name": "git_status",
            "description": "Show the state of the working tree",
            "parameters": {
                "type": "object",
                "properties": {"path": {"type": "string", "description": "Only below this path"}},
            },
        },
    },
]


def ask():
    return litellm.completion(
        model="ollama_chat/qwen3",
        messages=messages,
        max_tokens=1024,
        tools=tools,
        api_base=BASE_URL,
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
        "name": "git_status",
        "content": "nothing to commit, working tree clean",
    },
]
answer = ask()
print(f"\n<-- {answer!r}")

# common.adapter.completes: Every operation that the adapter declares returns a value of the right type, within
#   the time limit and without raising.
#   at:       (whole) in what the library makes of answer 2
#   expected: a request from complete
#   found:    complete raised APIConnectionError: litellm.APIConnectionError: Expecting value: line 1 column 1 (char 0) Traceback (most recent call last): File "litellm/main.py", line 6078, in completion response = _complete_ollama_chat(_dispatch_ctx) ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ File "litellm/main.py", line 4549, in _complete_ollama_chat return base_llm_http_handler.completion( ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ File "litellm/llms/custom_httpx/llm_http_handler.py", line 855, in completion provider_config.transform_request( File "litellm
#   harness:  conformance run env:litellm --provider ollama --scenario no_arguments.missing --delivery blocking --rule common.adapter.completes
