# pip install any-llm-sdk[cohere,gemini]==1.40.2
# errors.unknown_finish/stream:per-event on gemini, made smaller; the provider is here, too
# common.stream.equivalent-to-non-stream: A stream is understood as the same turn (text, calls, id…
#   at /stop in what the library makes of the last answer
#   expected: end
#   found:    incomplete

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import any_llm
from google.genai.types import HttpOptions

ANSWERS = [
    (200, {"content-type": "text/event-stream; charset=utf-8"}, [
        b'data: {"candidates":[{"content":{"parts":[{"text":"A file th"}]}}]}\n\n'
        b'data: {"candidates":[{"content":{"parts":[{"text":"at points"}]}}]}\n\n'
        b'data: {"candidates":[{"content":{"parts":[{"text":" to anoth"}]}}]}\n\n'
        b'data: {"candidates":[{"content":{"parts":[{"text":"er path."}]}}]}\n\n'
        b'data: {"candidates":[{"finishReason":"x_new_reason"}],"usageMetadata":{"promptTokenCount'
        b'":11,"candidatesTokenCount":7}}\n\n',
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

answer = list(any_llm.completion(
    model="gemini-3.1-pro-preview", messages=[{"role": "user", "content": "What is a symlink?"}],
    max_tokens=1024, reasoning_effort="auto", provider="gemini", api_key="test-key",
    api_base=BASE_URL, client_args={"http_options": HttpOptions(base_url=BASE_URL)}, stream=True,
))
print("<--", answer)
