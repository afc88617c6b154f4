# pip install litellm==1.110.2
# handoff.long_id/blocking on mistral, made smaller; the provider is here, too
# mistral.ids.nine-alphanumerics: Tool call ids sent to Mistral match ^[a-zA-Z0-9]{9}$; foreign id…
#   at /messages/1/tool_calls/0/id in the last request
#   expected: nine letters or digits
#   found:    call_7f3b9c1e5d2a4860b1c3d5e7f9a1b3c5d7e9f1a3b5c7d9e1f3a5b7c9d1e3f5a7b9c1d3e5

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import litellm

ANSWERS = [
    (200, {"content-type": "application/json"}, [
        b'{"choices":[{"message":{}}],"usage":{"prompt_tokens":11,"completion_tokens":7}}',
    ]),
]

class Provider(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        if "completions" not in self.path: return self.send_error(404)
        print(f"--> POST {self.path}\n{body}\n")
        status, headers, chunks = ANSWERS.pop(0) if len(ANSWERS) > 1 else ANSWERS[0]
        self.send_response(status)
        self.send_header("content-type", headers["content-type"])
        self.end_headers()
        self.wfile.write(b"".join(chunks))

server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
threading.Thread(target=server.serve_forever, daemon=True).start()
BASE_URL = f"http://127.0.0.1:{server.server_port}"

litellm.completion(
    model="mistral/mistral-large-latest", api_base=BASE_URL + "/v1", api_key="test-key",
    max_retries=0,
    messages=[
        {"role": "user", "content": "What is the port?"},
        {
            "role": "assistant", "content": "",
            "tool_calls": [{
                "id": ("call_7f3b9c1e5d2a4860b1c3d5e7f9a1b3c5d7e9f1a3b5c7d9e1f3a5b7c9d1e3f5a7b9c"
                 "1d3e5"),
                "type": "function", "function": {"name": "read_file", "arguments": "{}"},
            }],
        },
        {
            "role": "tool",
            "tool_call_id": ("call_7f3b9c1e5d2a4860b1c3d5e7f9a1b3c5d7e9f1a3b5c7d9e1f3a5b7c9d1e3f"
             "5a7b9c1d3e5"),
            "content": "port: 8080\n",
        },
    ],
    max_tokens=1024,
)
