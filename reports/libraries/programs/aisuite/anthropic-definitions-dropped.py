# pip install aisuite[anthropic,mcp]==0.2.0

# declare.schema_keywords/blocking on anthropic, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import aisuite

ANSWERS = [
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"model":"test-model","id":"msg_pFMwnN4UeAEyBURLxVEQNMbi","type":"message","role":"assistan'
             b't","content":[{"type":"tool_use","id":"toolu_GzZvGV3EYkr6Y2mQCEaGCHnh","name":"draw","input'
             b'":{"shape":{"kind":"dot","at":{"x":0.5,"y":-0.5}},"tags":["first"]}}],"stop_reason":"tool_u'
             b'se","stop_sequence":null,"stop_details":null,"usage":{"input_tokens":11,"cache_creation_inp'
             b'ut_tokens":0,"cache_read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"e'
             b'phemeral_1h_input_tokens":0},"output_tokens":7,"service_tier":"standard"}}'),
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

client = aisuite.Client({"anthropic": {"api_key": "test-key", "base_url": BASE_URL, "max_retries": 0}})

messages = [{"role": "user", "content": "Draw a dot at the origin."}]
tools = [
    {
        "type": "function",
        "function": {
            "name": "draw",
            "description": "Draw shapes",
            "parameters": {
                "type": "object",
                "$schema": "https://json-schema.org/draft/2020-12/schema",
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
    return client.chat.completions.create(
        model="anthropic:test-model",
        messages=messages,
        max_tokens=1024,
        tools=tools,
    )


answer = ask()
print(f"\n<-- {answer!r}")

# common.declare.schema-passthrough: The description and the JSON Schema of a tool reach the wire without loss
#   of properties, required, enum, items, nesting, descriptions or property order (except documented
#   per-provider rewrites).
#   at:       /tools/0/input_schema/properties/shape/oneOf/0/properties/at in request 1
#   expected: {"type": "object", "properties": {"x": {"type": "number"}, "y": {"type": "number"}}, "required": ["x", "y"], "additionalProperties": false}
#   found:    {"$ref": "#/$defs/point"}
#   harness:  conformance run env:aisuite --provider anthropic --scenario declare.schema_keywords --delivery blocking --rule common.declare.schema-passthrough
