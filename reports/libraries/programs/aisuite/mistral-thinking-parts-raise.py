# pip install aisuite[mcp,mistral]==0.2.0
# quirks.thinking_parts/blocking on mistral, made smaller; the provider is here, too
# common.adapter.completes: Every operation that the adapter declares returns a value of the right…
#   at (whole) in what the library makes of the last answer
#   expected: a turn from complete
#   found:    complete raised AttributeError: 'list' object has no attribute 'strip'

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from aisuite import Client

ANSWERS = [
    (200, {"content-type": "application/json"}, [
        b'{"id":"chatcmpl-5Xp428dqWVLyVqarPuxcUcMs","object":"chat.completion","created":176000000'
        b'0,"model":"test-model","choices":[{"index":0,"message":{"content":[{"type":"thinking","t'
        b'hinking":[{"text":"Let me see."}]},{"type":"text","text":"It says hello."}]},"finish_rea'
        b'son":"stop"}],"usage":{"prompt_tokens":11,"completion_tokens":7}}',
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
answer = client.chat.completions.create(
    model="mistral:test-model", messages=[{"role": "user", "content": "Read a.txt."}],
    max_tokens=1024,
)
print("<--", answer)
