# pip install langchain-ollama==1.1.0 langchain
# declare.schema_keywords/blocking on ollama, made smaller; the provider is here, too
# common.declare.schema-passthrough: The description and the JSON Schema of a tool reach the wire …
#   at /tools/0/function/parameters/properties/shape/oneOf in the last request
#   expected: [{}]
#   found:    null

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from langchain_core.messages import HumanMessage
from langchain_ollama import ChatOllama

ANSWERS = [
    (200, {"content-type": "application/x-ndjson"}, [
        b'{"model":"test-model","created_at":"2026-01-15T10:20:30.123456Z","message":{"role":"assi'
        b'stant"},"done":true,"done_reason":"stop","total_duration":3067193667,"load_duration":948'
        b'64083,"prompt_eval_count":11,"prompt_eval_duration":73948792,"eval_count":7,"eval_durati'
        b'on":2758205252}\n',
    ]),
]

class Provider(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        if "chat" not in self.path: return self.send_error(404)
        print(f"--> POST {self.path}\n{body}\n")
        status, headers, chunks = ANSWERS.pop(0) if len(ANSWERS) > 1 else ANSWERS[0]
        self.send_response(status)
        self.send_header("content-type", headers["content-type"])
        self.end_headers()
        self.wfile.write(b"".join(chunks))

server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
threading.Thread(target=server.serve_forever, daemon=True).start()
BASE_URL = f"http://127.0.0.1:{server.server_port}"

model = ChatOllama(model="test-model", base_url=BASE_URL, num_predict=1024, reasoning=None)
model_2 = model.bind_tools(tools=[{
    "type": "function",
    "function": {
        "name": "draw", "description": "Draw shapes",
        "parameters": {"type": "object", "properties": {"shape": {"oneOf": [{}]}}},
    },
}])
model_2.invoke([HumanMessage(content="Draw a dot at the origin.")])
