# pip install aisuite[mcp,mistral]==0.2.0
# handoff.odd_id/blocking on mistral, made smaller; the provider is here, too
# mistral.ids.nine-alphanumerics: Tool call ids sent to Mistral match ^[a-zA-Z0-9]{9}$; foreign id…
#   at /messages/1/tool_calls/0/id in the last request
#   expected: nine letters or digits
#   found:    functions.read_file:0/é

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from aisuite import Client

ANSWERS = [
    (200, {"content-type": "application/json"}, [
        b'{"id":"chatcmpl-TXh8J2goVY4sS54hWoJiZaHU","object":"chat.completion","created":176000000'
        b'0,"model":"test-model","choices":[{"index":0,"message":{"content":""},"finish_reason":"s'
        b'top"}],"usage":{"prompt_tokens":11,"completion_tokens":7}}',
    ]),
]

class Provider(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        if "completions" not in self.path: return self.send_error(404)
        print(f"--> POST {self.path}\n{body}\n")
        status, headers, chunks = ANSWERS.pop(0) if len(ANSWERS) > 1 else ANSWERS[0]
        self.send_response(status)
        self.send_header("content-type", headers["content-type"])
        self.end_headers()
        self.wfile.write(b"".join(chunks))

server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
threading.Thread(target=server.serve_forever, daemon=True).start()
BASE_URL = f"http://127.0.0.1:{server.server_port}"

client = Client({"mistral": {"api_key": "test-key", "server_url": BASE_URL}})
client.chat.completions.create(
    model="mistral:test-model",
    messages=[
        {"role": "user", "content": "What is the port?"},
        {
            "role": "assistant", "content": "",
            "tool_calls": [{
                "id": "functions.read_file:0/é", "type": "function",
                "function": {"name": "read_file", "arguments": "{}"},
            }],
        },
        {"role": "tool", "tool_call_id": "functions.read_file:0/é", "content": "port: 8080\n"},
    ],
    max_tokens=1024,
)
