# pip install litellm==1.110.2
# handoff.thinking_begins/blocking on anthropic, made smaller; the provider is here, too
# anthropic.choose.thinking-budget: Thinking switched on by hand has a budget of at least 1024 tok…
#   at /max_tokens in the last request
#   expected: more than 2048
#   found:    1024

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import litellm

ANSWERS = [
    (200, {"content-type": "application/json"}, [
        b'{"model":"test-model","content":[],"stop_reason":"end_turn","usage":{"input_tokens":11,"'
        b'output_tokens":7}}',
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

litellm.responses(
    model="anthropic/claude-sonnet-4-5", input=[{"role": "user", "content": "What is the port?"}],
    max_output_tokens=1024, reasoning={"effort": "medium", "summary": "auto"},
    include=["reasoning.encrypted_content"], store=False, api_base=BASE_URL, api_key="test-key",
    max_retries=0,
)
