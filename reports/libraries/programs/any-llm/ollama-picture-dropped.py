# pip install any-llm-sdk[cohere,ollama]==1.40.2
# binary_image.image_and_error/blocking on ollama, made smaller; the provider is here, too
# common.binary.image-kept: A picture that a tool returned is sent as it was, once, or words stand…
#   at /messages/2/content in the last request
#   expected: the picture, or words
#   found:    ""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import any_llm

ANSWERS = [
    (200, {"content-type": "application/json"}, [
        b'{"created_at":"2026-01-15T10:20:30.123456Z","message":{"role":"assistant","tool_calls":['
        b'{"function":{"name":"read_file","arguments":{}}}]},"prompt_eval_count":11,"eval_count":7'
        b"}",
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

answer = any_llm.completion(
    model="test-model", messages=[{"role": "user", "content": "Compare old.png with new.png."}],
    max_tokens=1024, reasoning_effort="none", provider="ollama", api_key="test-key",
    api_base=BASE_URL, client_args={},
)
print("<--", answer)
