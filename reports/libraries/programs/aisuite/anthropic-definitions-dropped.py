# pip install aisuite[anthropic,mcp]==0.2.0
# declare.schema_keywords/blocking on anthropic, made smaller; the provider is here, too
# common.declare.schema-passthrough: The description and the JSON Schema of a tool reach the wire …
#   at /tools/0/input_schema/properties/shape/oneOf/0/properties/at in the last request
#   expected: {}
#   found:    {"$ref": "#/$defs/point"}

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from aisuite import Client

ANSWERS = [
    (200, {"content-type": "application/json"}, [
        b'{"content":[],"usage":{"input_tokens":11,"output_tokens":7}}',
    ]),
]

class Provider(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        if "messages" not in self.path: return self.send_error(404)
        print(f"--> POST {self.path}\n{body}\n")
        status, headers, chunks = ANSWERS.pop(0) if len(ANSWERS) > 1 else ANSWERS[0]
        self.send_response(status)
        self.send_header("content-type", headers["content-type"])
        self.end_headers()
        self.wfile.write(b"".join(chunks))

server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
threading.Thread(target=server.serve_forever, daemon=True).start()
BASE_URL = f"http://127.0.0.1:{server.server_port}"

client = Client({"anthropic": {"api_key": "test-key", "base_url": BASE_URL, "max_retries": 0}})
client.chat.completions.create(
    model="anthropic:test-model",
    messages=[{"role": "user", "content": "Draw a dot at the origin."}], max_tokens=1024,
    tools=[{
        "type": "function",
        "function": {
            "name": "draw", "description": "Draw shapes",
            "parameters": {
                "type": "object", "$defs": {"point": {}},
                "properties": {
                    "shape": {"oneOf": [{"properties": {"at": {"$ref": "#/$defs/point"}}}]},
                },
            },
        },
    }],
)
