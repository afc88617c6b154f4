# pip install ollama==0.6.3

# declare.schema_keywords/blocking on ollama, without the harness: this program is the provider, too.

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
             b'nt","content":"","tool_calls":[{"id":"call_gzzvgv3e","function":{"index":0,"name":"draw","a'
             b'rguments":{"shape":{"kind":"dot","at":{"x":0.5,"y":-0.5}},"tags":["first"]}}}]},"done":true'
             b',"done_reason":"stop","total_duration":3067193667,"load_duration":94864083,"prompt_eval_cou'
             b'nt":11,"prompt_eval_duration":73948792,"eval_count":7,"eval_duration":2758205252}'),
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

messages = [{"role": "user", "content": "Draw a dot at the origin."}]
tools = [
    {
        "type": "function",
        "function": {
            "name": "draw",
            "description": "Draw shapes",
            "parameters": {
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "type": "object",
                "$defs": {
                    "point": {
                        "type": "object",
                        "properties": {"x": {"type": "number"}, "y": {"type": "number"}},
                        "required": ["x", "y"],
                        "additionalProperties": False,
                    },
                },
                "properties": {
                    "shape": {
                        "oneOf": [
                            {
                                "type": "object",
                                "properties": {"kind": {"const": "dot"}, "at": {"$ref": "#/$defs/point"}},
                                "required": ["kind", "at"],
                            },
                            {
                                "type": "object",
                                "properties": {"kind": {"const": "line"}, "to": {"$ref": "#/$defs/point"}},
                                "required": ["kind", "to"],
                            },
                        ],
                    },
                    "width": {"type": ["number", "null"], "exclusiveMinimum": 0},
                    "tags": {
                        "type": "array",
                        "items": {"type": "string", "pattern": "^[a-z]+$"},
                        "uniqueItems": True,
                    },
                },
                "required": ["shape"],
                "additionalProperties": False,
            },
        },
    },
]


def ask():
    return client.chat(model="test-model", messages=messages, options={"num_predict": 1024}, tools=tools)


answer = ask()
print(f"\n<-- {answer!r}")

# common.declare.schema-passthrough: The description and the JSON Schema of a tool reach the wire without loss
#   of properties, required, enum, items, nesting, descriptions or property order (except documented
#   per-provider rewrites).
#   at:       /tools/0/function/parameters/properties/shape/oneOf in request 1
#   expected: [{"type": "object", "properties": {"kind": {"const": "dot"}, "at": {"$ref": "#/$defs/point"}}, "required": ["kind", "at"]}, {"type": "object", "properties": {"kind": {"const": "line"}, "to": {"$ref": "#/$defs/point"}}, "required": ["kind", "to"]}]
#   found:    null
#   harness:  conformance run env:ollama --provider ollama --scenario declare.schema_keywords --delivery blocking --rule common.declare.schema-passthrough
