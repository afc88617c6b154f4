# pip install aisuite[anthropic,mcp]==0.2.0
# no_arguments.empty_text/stream:per-event on anthropic, made smaller; the provider is here, too
# common.adapter.completes: Every operation that the adapter declares returns a value of the right…
#   at (whole) in what the library makes of the last answer
#   expected: a request from complete
#   found:    complete raised JSONDecodeError: Expecting value: line 1 column 1 (char 0)

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from aisuite import Client

ANSWERS = [
    (200, {"content-type": "text/event-stream; charset=utf-8"}, [
        b"event: content_block_start\n"
        b'data: {"content_block":{"type":"tool_use","name":"git_status"}}\n\n'
        b"event: message_delta\n"
        b'data: {"delta":{"stop_reason":"tool_use"},"usage":{"input_tokens":11,"output_tokens":7}}'
        b"\n\n",
    ]),
]

class Provider(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        if "" not in self.path: return self.send_error(404)
        print(f"--> POST {self.path}\n{body}\n")
        status, headers, chunks = ANSWERS.pop(0) if len(ANSWERS) > 1 else ANSWERS[0]
        self.send_response(status)
        self.send_header("content-type", headers["content-type"])
        self.end_headers()
        self.wfile.write(b"".join(chunks))

server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
threading.Thread(target=server.serve_forever, daemon=True).start()
BASE_URL = f"http://127.0.0.1:{server.server_port}"

client = Client({"anthropic": {"api_key": "test-key", "base_url": BASE_URL, "max_retries": 0}})
answer = list(client.chat.completions.create(
    model="anthropic:test-model",
    messages=[
        {"role": "user", "content": "Is the tree clean?"},
        {
            "role": "assistant", "content": "",
            "tool_calls": [{
                "id": "own000000", "type": "function",
                "function": {"name": "git_status", "arguments": ""},
            }],
        },
        {
            "role": "tool", "tool_call_id": "own000000", "name": "git_status",
            "content": "nothing to commit, working tree clean",
        },
    ],
    max_tokens=1024, stream=True,
))
print("<--", answer)
