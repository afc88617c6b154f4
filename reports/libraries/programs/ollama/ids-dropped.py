# pip install ollama==0.6.3
# arguments.floats/blocking on ollama, made smaller; the provider is here, too
# ollama.ids.optional: tool_calls[].id may be absent (docs, older servers: make unique ids) or pre…
#   at /calls/0/id in what the library makes of the last answer
#   expected: call_tyef6a9a
#   found:    own000000, an id of the application's own, because the library gave none

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from ollama import Client

ANSWERS = [
    (200, {"content-type": "application/json"}, [
        b'{"message":{"role":"assistant","tool_calls":[{"id":"call_tyef6a9a","function":{"name":"q'
        b'uery_orders","arguments":{}}}]},"done":true,"prompt_eval_count":11,"eval_count":7}',
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

client = Client(host=BASE_URL)
answer = client.chat(
    model="test-model",
    messages=[{"role": "user", "content": "Find orders near the office that cost about 20."}],
    options={"num_predict": 1024},
)
print("<--", answer)
