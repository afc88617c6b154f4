# pip install litellm[mcp]==1.106.2
# reasoning.one_call/stream:per-event on openai-responses, made smaller; the provider is here, too
# responses.history.reasoning-items-passed-back: With client-managed context every reasoning item …
#   at /input/1 in the last request
#   expected: the reasoning item rs_MuaJLsDKCdYwf5bMAJ4uXrKVZyaD2dZTb7QuS4eDkpuvhKJ8 before t…
#   found:    no such item

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import litellm

ANSWERS = [
    (200, {"content-type": "text/event-stream; charset=utf-8"}, [
        b"event: response.completed\n"
        b'data: {"type":"response.completed","response":{"usage":{"input_tokens":11,"output_tokens'
        b'":7}}}\n\n',
    ]),
]

class Provider(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        if "responses" not in self.path: return self.send_error(404)
        print(f"--> POST {self.path}\n{body}\n")
        status, headers, chunks = ANSWERS.pop(0) if len(ANSWERS) > 1 else ANSWERS[0]
        self.send_response(status)
        self.send_header("content-type", headers["content-type"])
        self.end_headers()
        self.wfile.write(b"".join(chunks))

server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
threading.Thread(target=server.serve_forever, daemon=True).start()
BASE_URL = f"http://127.0.0.1:{server.server_port}"

list(litellm.completion(
    model="openai/responses/gpt-5", api_base=BASE_URL + "/v1", api_key="test-key", max_retries=0,
    messages=[
        {"role": "user", "content": "Is the clock right?"},
        {
            "role": "assistant", "content": "",
            "tool_calls": [{
                "id": "call_PX4oS9yfJ28NDfY67mPasLgc", "type": "function",
                "function": {"name": "run_shell_command", "arguments": "{}"},
            }],
        },
        {
            "role": "tool", "tool_call_id": "call_PX4oS9yfJ28NDfY67mPasLgc",
            "name": "run_shell_command",
            "content": "System time : 0.000012 seconds fast of NTP time\n",
        },
    ],
    max_tokens=1024, stream_options={"include_usage": True}, stream=True,
))
