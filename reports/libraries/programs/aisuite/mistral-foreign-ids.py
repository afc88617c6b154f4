# pip install aisuite[mcp,mistral]==0.2.0

# handoff.retired_tool/blocking on mistral, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import aisuite

ANSWERS = [
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"id":"chatcmpl-mbJPhjnfFB9XKnbVwTLsKoJM","object":"chat.completion","created":1760000000,"'
             b'model":"test-model","choices":[{"index":0,"message":{"role":"assistant","content":"Perhaps '
             b'8080.","tool_calls":null},"finish_reason":"stop"}],"usage":{"prompt_tokens":11,"completion_'
             b'tokens":7,"total_tokens":18}}'),
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

client = aisuite.Client({"mistral": {"api_key": "test-key", "server_url": BASE_URL}})

messages = [
    {"role": "user", "content": "What is the port?"},
    {
        "role": "assistant",
        "content": "",
        "tool_calls": [
            {
                "id": "call_D2V5xeW5b4MShqU9RVFenats",
                "type": "function",
                "function": {"name": "read_file", "arguments": '{"absolute_path":"/srv/app/config.yaml"}'},
            },
        ],
    },
    {
        "role": "tool",
        "tool_call_id": "call_D2V5xeW5b4MShqU9RVFenats",
        "name": "read_file",
        "content": '{"error":"File not found: /srv/app/config.yaml"}',
    },
    {"role": "assistant", "content": "I cannot find out."},
    {"role": "user", "content": "Then guess."},
]


def ask():
    return client.chat.completions.create(model="mistral:test-model", messages=messages, max_tokens=1024)


answer = ask()
print(f"\n<-- {answer!r}")

# mistral.ids.nine-alphanumerics: Tool call ids sent to Mistral match ^[a-zA-Z0-9]{9}$; foreign ids are mapped
#   deterministically on both sides.
#   at:       /messages/1/tool_calls/0/id in request 1
#   expected: nine letters or digits
#   found:    call_D2V5xeW5b4MShqU9RVFenats
#   harness:  conformance run env:aisuite --provider mistral --scenario handoff.retired_tool --delivery blocking --rule mistral.ids.nine-alphanumerics
