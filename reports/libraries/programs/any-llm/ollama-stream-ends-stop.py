# pip install any-llm-sdk[cohere,ollama]==1.40.2
# arguments.floats/stream:per-event on ollama, made smaller; the provider is here, too
# common.stream.equivalent-to-non-stream: A stream is understood as the same turn (text, calls, id…
#   at /stop in what the library makes of the last answer
#   expected: tool_calls
#   found:    end

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import any_llm

ANSWERS = [
    (200, {"content-type": "application/x-ndjson"}, [
        b'{"message":{"role":"assistant","tool_calls":[{"function":{"name":"query_orders","argumen'
        b'ts":{}}}]}}\n'
        b'{"message":{"role":"assistant"},"done":true,"prompt_eval_count":11,"eval_count":7}\n',
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

answer = list(any_llm.completion(
    model="test-model",
    messages=[{"role": "user", "content": "Find orders near the office that cost about 20."}],
    max_tokens=1024, reasoning_effort="none", provider="ollama", api_key="test-key",
    api_base=BASE_URL, client_args={}, stream=True,
))
print("<--", answer)
