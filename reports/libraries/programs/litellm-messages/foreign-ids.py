# pip install litellm[proxy]==1.106.2
# handoff.finished_round/blocking on mistral, made smaller; the provider is here, too
# mistral.ids.nine-alphanumerics: Tool call ids sent to Mistral match ^[a-zA-Z0-9]{9}$; foreign id…
#   at /messages/1/tool_calls/0/id in the last request
#   expected: nine letters or digits
#   found:    toolu_01A09q90qw90lq917835lq9

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
        {"role": "user", "content": "What is the port?"},
        {
            "role": "assistant",
            "content": [{
                "type": "tool_use", "id": "toolu_01A09q90qw90lq917835lq9", "name": "read_file",
                "input": {},
            }],
        },
        {
            "role": "user",
            "content": [{
                "type": "tool_result", "tool_use_id": "toolu_01A09q90qw90lq917835lq9",
                "content": "port: 8080\n",
            }],
        },
    ],
    api_base=BASE_URL + "/v1", api_key="test-key", max_retries=0,
))
