# pip install any-llm-sdk[anthropic,cohere]==1.40.2
# multi_turn.empty_answer/blocking on anthropic, made smaller; the provider is here, too
# anthropic.history.no-empty-text-blocks: No content of a message, and none of its text blocks, is…
#   at /messages/1/content in the last request
#   expected: text, or no message at all
#   found:    ""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import any_llm

ANSWERS = [
    (200, {"content-type": "application/json"}, [
        b'{"model":"test-model","id":"msg_oGVzNx5iDumJxytPR8uUA4mp","content":[],"usage":{"input_t'
        b'okens":11,"output_tokens":7}}',
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

answer = any_llm.completion(
    model="test-model", messages=[{"role": "user", "content": "Save an empty list."}],
    max_tokens=1024, reasoning_effort="none", provider="anthropic", api_key="test-key",
    api_base=BASE_URL, client_args={"max_retries": 0},
)
print("<--", answer)
