# pip install ollama==0.6.3

# arguments.odd_keys/blocking on ollama, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import ollama

ANSWERS = [
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"model":"test-model","created_at":"2026-01-15T10:20:30.123456Z","message":{"role":"assista'
             b'nt","content":"","tool_calls":[{"id":"call_wgpeucgn","function":{"index":0,"name":"query_or'
             b'ders","arguments":{"filter":{"id":1,"Id":2,"ID":3,"a.b":4,"a b":5,"$ref":6,"__proto__":7,"g'
             b'r\xc3\xb6\xc3\x9fe":8,"x/y~z":9,"0":10}}}}]},"done":true,"done_reason":"stop","total_durati'
             b'on":3067193667,"load_duration":94864083,"prompt_eval_count":11,"prompt_eval_duration":73948'
             b'792,"eval_count":7,"eval_duration":2758205252}'),
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

client = ollama.Client(host=BASE_URL)

messages = [{"role": "user", "content": "Run the query with these headers."}]
tools = [
    {
        "type": "function",
        "function": {
            "name": "query_orders",
            "description": "Search orders with a filter of any shape",
            "parameters": {
                "type": "object",
                "properties": {
                    "filter": {"type": "object", "description": "The conditions"},
                    "include_items": {
                        "type": "boolean",
                        "description": "Whether to list the items of each order",
                    },
                    "dry_run": {"type": "boolean", "description": "Whether only to count"},
                },
                "required": ["filter"],
            },
        },
    },
]


def ask():
    return client.chat(model="test-model", messages=messages, options={"num_predict": 1024}, tools=tools)


answer = ask()
print(f"\n<-- {answer!r}")

# ollama.ids.optional: tool_calls[].id may be absent (docs, older servers: make unique ids) or present ("call_"
#   + 8 characters on current servers: keep it).
#   at:       /calls/0/id in what the library makes of answer 1
#   expected: call_wgpeucgn
#   found:    own000000
#             (own… is an id of the application's own, for a call that comes without one)
#   harness:  conformance run env:ollama --provider ollama --scenario arguments.odd_keys --delivery blocking --rule ollama.ids.optional
