# pip install aisuite[gemini,mcp]==0.2.0

# declare.schema_keywords/blocking on gemini, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import aisuite
from google.genai import types

ANSWERS = [
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"candidates":[{"content":{"parts":[{"functionCall":{"name":"draw","args":{"shape":{"kind":'
             b'"dot","at":{"x":0.5,"y":-0.5}},"tags":["first"]},"id":"gzzvgv3e"}}],"role":"model"},"finish'
             b'Reason":"STOP","index":0,"finishMessage":"Model generated function call(s)."}],"usageMetada'
             b'ta":{"promptTokenCount":11,"candidatesTokenCount":7,"totalTokenCount":18},"modelVersion":"t'
             b'est-model","responseId":"pFMwnN4UeAEyBURLxVEQNM"}'),
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

options = types.HttpOptions(base_url=BASE_URL)
client = aisuite.Client({"gemini": {"api_key": "test-key", "http_options": options}})

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
        model="gemini:test-model",
        messages=messages,
        max_tokens=1024,
        tools=tools,
    )


answer = ask()
print(f"\n<-- {answer!r}")

# common.declare.schema-passthrough: The description and the JSON Schema of a tool reach the wire without loss
#   of properties, required, enum, items, nesting, descriptions or property order (except documented
#   per-provider rewrites).
#   at:       (whole) in request 1
#   expected: a request
#   found:    complete raised AttributeError: 'list' object has no attribute 'upper'
#   harness:  conformance run env:aisuite --provider gemini --scenario declare.schema_keywords --delivery blocking --rule common.declare.schema-passthrough
