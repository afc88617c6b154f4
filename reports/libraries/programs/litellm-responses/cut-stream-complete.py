# pip install litellm[mcp]==1.106.2
# errors.cut_after_call/stream:per-event on anthropic, made smaller; the provider is here, too
# common.stream.truncated-stream-not-complete: A stream that ends without its terminal marker (con…
#   at /stop in what the library makes of the last answer
#   expected: incomplete
#   found:    tool_calls

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import litellm

ANSWERS = [
    (200, {"content-type": "text/event-stream; charset=utf-8"}, [
        b"event: message_start\n"
        b'data: {"message":{"usage":{"input_tokens":11,"output_tokens":1}}}\n\n'
        b"event: content_block_start\n"
        b'data: {"type":"content_block_start","content_block":{"type":"tool_use","id":"toolu_C3fdn'
        b'8eS73JGUBSc8GKziNXs","name":"read_file"}}\n\nevent: content_block_stop\ndata: {}\n\n',
    ]),
]

class Provider(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        if "messages" not in self.path: return self.send_error(404)
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
    model="anthropic/claude-sonnet-4-5", input=[{"role": "user", "content": "Read a.txt."}],
    max_output_tokens=1024, stream=True, api_base=BASE_URL, api_key="test-key", max_retries=0,
))
print("<--", answer)
