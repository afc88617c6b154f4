# pip install litellm==1.110.2
# quirks.calls_in_many_chunks/stream:per-event on ollama, made smaller; the provider is here, too
# common.stream.equivalent-to-non-stream: A stream is understood as the same turn (text, calls, id…
#   at /calls in what the library makes of the last answer
#   expected: ["read_file", "read_file"]
#   found:    ["read_file"]

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import litellm

ANSWERS = [
    (200, {"content-type": "application/x-ndjson"}, [
        b'{"model":"test-model","message":{"tool_calls":[{"function":{"name":"read_file","argument'
        b's":{}}}]},"done":false}\n'
        b'{"model":"test-model","message":{"tool_calls":[{"id":"call_oqfg5uss","function":{"name":'
        b'"read_file","arguments":{}}}]},"done":false}\n'
        b'{"model":"test-model","message":{},"done":true,"prompt_eval_count":11,"eval_count":7}\n',
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

answer = list(litellm.responses(
    model="ollama_chat/qwen3", input=[{"role": "user", "content": "Compare a.txt with b.txt."}],
    max_output_tokens=1024, stream=True, api_base=BASE_URL, api_key="test-key", max_retries=0,
))
print("<--", answer)
