# pip install litellm==1.110.2
# handoff.empty_argument_text/blocking on gemini, made smaller; the provider is here, too
# common.history.calls-kept: Every call that the model made is in the request, with the arguments …
#   at /contents/1/parts/1/function_call/args in the last request
#   expected: {}
#   found:    {"type": "object"}

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import litellm

ANSWERS = [
    (200, {"content-type": "application/json"}, [
        b'{"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":11,"candidat'
        b'esTokenCount":7}}',
    ]),
]

class Provider(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        if "generateContent" not in self.path: return self.send_error(404)
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
    model="gemini/gemini-3.1-pro-preview", api_base=BASE_URL + "/v1beta", api_key="test-key",
    max_retries=0,
    messages=[
        {"role": "user", "content": "What is left to do?"},
        {
            "role": "assistant", "content": "",
            "tool_calls": [{
                "id": "call_sfPR5RoEETL7UY9Hp9MPnfKp", "type": "function",
                "function": {"name": "list_todos", "arguments": ""},
            }],
        },
        {
            "role": "tool", "tool_call_id": "call_sfPR5RoEETL7UY9Hp9MPnfKp",
            "content": "write the docs",
        },
    ],
    max_tokens=1024,
)
