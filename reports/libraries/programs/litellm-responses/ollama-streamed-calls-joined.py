# pip install litellm[mcp]==1.106.2
# quirks.calls_in_many_chunks/stream:per-event on ollama, made smaller; the provider is here, too
# ollama.stream.ndjson: A stream is NDJSON, one object a line, until done:true; tool_calls come wh…
#   at /calls in what the library makes of the last answer
#   expected: ["read_file", "read_file"]
#   found:    ["read_file"]

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import litellm

ANSWERS = [
    (200, {"content-type": "application/x-ndjson", "transfer-encoding": "chunked"}, [
        b'{"model":"test-model","message":{"tool_calls":[{"id":"call_kdwmcced","function":{"name":'
        b'"read_file","arguments":{}}}]},"done":false}\n',
        b'{"model":"test-model","message":{"tool_calls":[{"id":"call_oqfg5uss","function":{"name":'
        b'"read_file","arguments":{}}}]},"done":false}\n',
        b'{"model":"test-model","message":{},"done":true,"prompt_eval_count":11,"eval_count":7}\n',
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

answer = list(litellm.responses(
    model="ollama_chat/qwen3", input=[{"role": "user", "content": "Compare a.txt with b.txt."}],
    max_output_tokens=1024, stream=True, api_base=BASE_URL, api_key="test-key", max_retries=0,
))
print("<--", answer)
