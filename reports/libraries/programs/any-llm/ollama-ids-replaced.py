# pip install any-llm-sdk[cohere,ollama]==1.40.2
# arguments.floats/blocking on ollama, made smaller; the provider is here, too
# ollama.ids.optional: tool_calls[].id may be absent (docs, older servers: make unique ids) or pre…
#   at /calls/0/id in what the library makes of the last answer
#   expected: call_tyef6a9a
#   found:    89795c48-b24b-4117-b15d-93d16f37d9b9

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import any_llm

ANSWERS = [
    (200, {"content-type": "application/json"}, [
        b'{"created_at":"2026-01-15T10:20:30.123456Z","message":{"role":"assistant","content":"","'
        b'tool_calls":[{"id":"call_tyef6a9a","function":{"name":"query_orders","arguments":{}}}]},'
        b'"prompt_eval_count":11,"eval_count":7}',
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
    model="test-model",
    messages=[{"role": "user", "content": "Find orders near the office that cost about 20."}],
    max_tokens=1024, reasoning_effort="none", provider="ollama", api_key="test-key",
    api_base=BASE_URL, client_args={},
)
print("<--", answer)
