# pip install litellm[mcp]==1.106.2

# quirks.content_missing/blocking on ollama, without the harness: this program is the provider, too.

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
             b'nt","tool_calls":[{"id":"call_payqmauz","function":{"index":0,"name":"read_file","arguments'
             b'":{"absolute_path":"/srv/a.txt"}}}]},"done":true,"done_reason":"stop","total_duration":3067'
             b'193667,"load_duration":94864083,"prompt_eval_count":11,"prompt_eval_duration":73948792,"eva'
             b'l_count":7,"eval_duration":2758205252}'),
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

items = [{"role": "user", "content": "Read a.txt."}]
tools = [
    {
        "type": "function",
        "name": "read_file",
        "description": "Read a file",
        "parameters": {
            "type": "object",
            "properties": {
                "absolute_path": {"type": "string", "description": "The absolute path of the file"},
                "offset": {"type": "integer", "description": "The first line to read"},
                "limit": {"type": "integer", "description": "How many lines to read"},
            },
            "required": ["absolute_path"],
        },
        "strict": False,
    },
]


def ask():
    return litellm.responses(
        model="ollama_chat/qwen3",
        input=items,
        max_output_tokens=1024,
        tools=tools,
        api_base=BASE_URL,
        api_key="test-key",
        max_retries=0,
    )


answer = ask()
print(f"\n<-- {answer!r}")

# common.adapter.completes: Every operation that the adapter declares returns a value of the right type, within
#   the time limit and without raising.
#   at:       (whole) in what the library makes of answer 1
#   expected: a turn from complete
#   found:    complete raised APIConnectionError: litellm.APIConnectionError: 'content' Traceback (most recent call last): File "litellm/main.py", line 6078, in completion response = _complete_ollama_chat(_dispatch_ctx) ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ File "litellm/main.py", line 4549, in _complete_ollama_chat return base_llm_http_handler.completion( ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ File "litellm/llms/custom_httpx/llm_http_handler.py", line 931, in completion return provider_config.transform_response( ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ F
#   harness:  conformance run env:litellm-responses --provider ollama --scenario quirks.content_missing --delivery blocking --rule common.adapter.completes
