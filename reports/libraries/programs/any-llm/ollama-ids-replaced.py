# pip install any-llm-sdk[ollama]==1.40.2
# arguments.floats/blocking on ollama, made smaller; the provider is here, too
# ollama.ids.optional: tool_calls[].id may be absent (docs, older servers: make unique ids) or pre…
#   at /calls/0/id in what the library makes of the last answer
#   expected: call_tyef6a9a
#   found:    6364c953-9a99-45e1-9ae9-bf0e667f2693

import asyncio
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

LOOP = asyncio.new_event_loop()

client = any_llm.AnyLLM.create("ollama", api_key="test-key", api_base=BASE_URL)
answer = LOOP.run_until_complete(client.acompletion(
    model="test-model",
    messages=[{"role": "user", "content": "Find orders near the office that cost about 20."}],
    max_tokens=1024, reasoning_effort="none",
))
print("<--", answer)
