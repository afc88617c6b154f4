# pip install litellm==1.110.2
# errors.cut_after_call/stream:per-event on gemini, made smaller; the provider is here, too
# common.stream.truncated-stream-not-complete: A stream that ends without its terminal marker is f…
#   at /stop in what the library makes of the last answer
#   expected: incomplete: the body ended without the stream's last event
#   found:    tool_calls

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import litellm

ANSWERS = [
    (200, {"content-type": "text/event-stream; charset=utf-8"}, [
        b'data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"read_file","args":{},'
        b'"id":"c3fdn8es"}}]}}],"usageMetadata":{"promptTokenCount":11}}\n\n',
    ]),
]

class Provider(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        if "streamGenerateContent" not in self.path: return self.send_error(404)
        print(f"--> POST {self.path}\n{body}\n")
        status, headers, chunks = ANSWERS.pop(0) if len(ANSWERS) > 1 else ANSWERS[0]
        self.send_response(status)
        self.send_header("content-type", headers["content-type"])
        self.end_headers()
        self.wfile.write(b"".join(chunks))

server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
threading.Thread(target=server.serve_forever, daemon=True).start()
BASE_URL = f"http://127.0.0.1:{server.server_port}"

answer = list(litellm.completion(
    model="gemini/gemini-3.1-pro-preview", api_base=BASE_URL + "/v1beta", api_key="test-key",
    max_retries=0, messages=[{"role": "user", "content": "Read a.txt."}], max_tokens=1024,
    stream_options={"include_usage": True}, stream=True,
))
print("<--", answer)
