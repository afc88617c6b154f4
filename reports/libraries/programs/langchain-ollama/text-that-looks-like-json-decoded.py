# pip install langchain-ollama==1.1.0 langchain
# multi_turn.empty_answer/blocking on ollama, made smaller; the provider is here, too
# common.parse.args-types-preserved: Nested arguments keep JSON types: null, true/false, arrays, n…
#   at /calls/0/arguments/content in what the library makes of the last answer
#   expected: "[]"
#   found:    []

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from langchain_core.messages import HumanMessage
from langchain_ollama import ChatOllama

ANSWERS = [
    (200, {"content-type": "application/x-ndjson", "transfer-encoding": "chunked"}, [
        b'{"message":{"role":"assistant","tool_calls":[{"function":{"name":"write_file","arguments'
        b'":{"content":"[]"}}}]}}\n',
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
answer = model.invoke([HumanMessage(content="Save an empty list.")])
print("<--", answer)
