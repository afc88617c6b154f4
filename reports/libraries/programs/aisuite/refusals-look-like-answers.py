# pip install aisuite[anthropic,mcp]==0.2.0
# errors.refusal/blocking on anthropic, made smaller; the provider is here, too
# common.parse.stop-reason: Why an answer without calls ended is told as it was - by itself, at th…
#   at /stop in what the library makes of the last answer
#   expected: refusal
#   found:    end

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from aisuite import Client

ANSWERS = [
    (200, {"content-type": "application/json"}, [
        b'{"content":[],"stop_reason":"refusal","stop_details":{"explanation":"I can\'t help with '
        b'getting into other people\'s devices."},"usage":{"input_tokens":11,"output_tokens":7}}',
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
answer = client.chat.completions.create(
    model="anthropic:test-model",
    messages=[{"role": "user", "content": "Break into my neighbour's router."}], max_tokens=1024,
)
print("<--", answer)
