# pip install langchain-ollama==1.1.0 langchain
# arguments.floats/blocking on ollama, made smaller; the provider is here, too
# ollama.ids.optional: tool_calls[].id may be absent (docs, older servers: make unique ids) or pre…
#   at /calls/0/id in what the library makes of the last answer
#   expected: call_tyef6a9a
#   found:    c11100a6-d34c-4000-81b8-fbba01ab57ef

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from langchain_core.messages import HumanMessage
from langchain_ollama import ChatOllama

ANSWERS = [
    (200, {"content-type": "application/x-ndjson", "transfer-encoding": "chunked"}, [
        b'{"message":{"role":"assistant","tool_calls":[{"id":"call_tyef6a9a","function":{"name":"q'
        b'uery_orders","arguments":{}}}]}}\n',
        b'{"model":"test-model","created_at":"2026-01-15T10:20:30.123456Z","message":{"role":"assi'
        b'stant"},"done":true,"done_reason":"stop","total_duration":3067193667,"load_duration":948'
        b'64083,"prompt_eval_count":11,"prompt_eval_duration":73948792,"eval_count":7,"eval_durati'
        b'on":2758205252}\n',
    ]),
]

class Provider(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        if "chat" not in self.path: return self.send_error(404)
        print(f"--> POST {self.path}\n{body}\n")
        status, headers, chunks = ANSWERS.pop(0) if len(ANSWERS) > 1 else ANSWERS[0]
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        for chunk in [*chunks, b""]:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))

server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
threading.Thread(target=server.serve_forever, daemon=True).start()
BASE_URL = f"http://127.0.0.1:{server.server_port}"

model = ChatOllama(model="test-model", base_url=BASE_URL, num_predict=1024, reasoning=None)
answer = model.invoke([HumanMessage(content="Find orders near the office that cost about 20.")])
print("<--", answer)
