# pip install litellm==1.110.2
# handoff.long_id/blocking on mistral, made smaller; the provider is here, too
# mistral.ids.nine-alphanumerics: Tool call ids sent to Mistral match ^[a-zA-Z0-9]{9}$; foreign id…
#   at /messages/1/tool_calls/0/id in the last request
#   expected: nine letters or digits
#   found:    call_5YftVbWYu3UHgo2PiCKVQmpt

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

litellm.responses(
    model="mistral/mistral-large-latest",
    input=[
        {"role": "user", "content": "What is the port?"},
        {
            "type": "function_call", "call_id": "call_5YftVbWYu3UHgo2PiCKVQmpt",
            "name": "read_file", "arguments": "{}",
        },
        {
            "type": "function_call_output", "call_id": "call_5YftVbWYu3UHgo2PiCKVQmpt",
            "output": "port: 8080\n",
        },
    ],
    max_output_tokens=1024, api_base=BASE_URL + "/v1", api_key="test-key", max_retries=0,
)
