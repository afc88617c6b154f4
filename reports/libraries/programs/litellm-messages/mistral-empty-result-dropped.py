# pip install litellm[proxy]==1.106.2
# unified.accept/blocking on mistral, made smaller; the provider is here, too
# common.result.exactly-one-per-call: Before the next model call, every open call has exactly one …
#   at /messages/1/tool_calls/0 in the last request
#   expected: one result for this call
#   found:    no result

import asyncio
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import litellm

ANSWERS = [
    (200, {"content-type": "application/json"}, [
        b'{"choices":[{"message":{"role":"assistant"}}],"usage":{"prompt_tokens":11,"completion_to'
        b'kens":7}}',
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

LOOP = asyncio.new_event_loop()

LOOP.run_until_complete(litellm.anthropic.messages.acreate(
    model="mistral/mistral-large-latest", max_tokens=1024,
    messages=[
        {"role": "user", "content": "Restart the service."},
        {
            "role": "assistant",
            "content": [{
                "type": "tool_use", "id": "qKFYT6Bk8", "name": "run_shell_command", "input": {},
            }],
        },
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "qKFYT6Bk8", "content": ""}],
        },
    ],
    api_base=BASE_URL + "/v1", api_key="test-key", max_retries=0,
))
