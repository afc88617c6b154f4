# pip install aisuite[anthropic,mcp]==0.2.0
# names.other_script/blocking on anthropic, made smaller; the provider is here, too
# common.parse.args-decoded-object: Every parsed call exposes arguments as a decoded JSON object e…
#   at /calls in what the library makes of the last answer
#   expected: a call of 時刻
#   found:    no such call

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from aisuite import Client

ANSWERS = [
    (200, {"content-type": "application/json"}, [
        b'{"content":[{"type":"tool_use","id":"toolu_deCrEUxRZzkzmHh2w7iymzsE","name":"\xe5\xa4'
        b'\xa9\xe6\xb0\x97","input":{}},{"type":"tool_use","name":"\xe6\x99\x82\xe5\x88\xbb","inpu'
        b't":{"city":"\xe6\x9d\xb1\xe4\xba\xac"}}],"stop_reason":"tool_use","usage":{"input_tokens'
        b'":11,"output_tokens":7}}',
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
    model="anthropic:test-model", messages=[{"role": "user", "content": "東京の天気と時刻は?"}],
    max_tokens=1024,
)
print("<--", answer)
