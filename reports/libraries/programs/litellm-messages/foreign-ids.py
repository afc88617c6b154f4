# pip install litellm[proxy]==1.106.2

# handoff.finished_round/blocking on mistral, without the harness: this program is the provider, too.

import asyncio
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import litellm

ANSWERS = [
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"id":"chatcmpl-TuLLLD3rYPq9X7thdU7GWJeX","object":"chat.completion","created":1760000000,"'
             b'model":"test-model","choices":[{"index":0,"message":{"role":"assistant","content":"","tool_'
             b'calls":[{"id":"FHR2dAmdH","function":{"name":"read_file","arguments":"{\\"absolute_path\\":'
             b'\\"/srv/app/hosts.yaml\\"}"},"index":0}]},"finish_reason":"tool_calls"}],"usage":{"prompt_t'
             b'okens":11,"completion_tokens":7,"total_tokens":18}}'),
        ],
    ),
]


class Provider(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        if not {"messages", "contents", "input"} & json.loads(body).keys():
            return self.send_error(404)  # not a model call
        print(f"\n--> POST {self.path}\n{body.decode()}", flush=True)
        status, headers, chunks = ANSWERS.pop(0) if len(ANSWERS) > 1 else ANSWERS[0]
        self.send_response(status)
        for name, value in {**headers, "transfer-encoding": "chunked"}.items():
            self.send_header(name, value)
        self.end_headers()
        for chunk in [*chunks, b""]:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))

    def log_message(self, *args):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
server.handle_error = lambda *args: None  # a client that hangs up
threading.Thread(target=server.serve_forever, daemon=True).start()
BASE_URL = f"http://127.0.0.1:{server.server_port}"

loop = asyncio.new_event_loop()  # for all calls, because connections are kept for one

messages = [
    {"role": "user", "content": "What is the port?"},
    {
        "role": "assistant",
        "content": [
            {"type": "text", "text": "Let me look."},
            {
                "type": "tool_use",
                "id": "toolu_01A09q90qw90lq917835lq9",
                "name": "read_file",
                "input": {"absolute_path": "/srv/app/config.yaml"},
            },
        ],
    },
    {
        "role": "user",
        "content": [
            {
                "type": "tool_result",
                "tool_use_id": "toolu_01A09q90qw90lq917835lq9",
                "content": "port: 8080\n",
            },
        ],
    },
    {"role": "assistant", "content": [{"type": "text", "text": "It is 8080."}]},
    {"role": "user", "content": "And the host?"},
]
tools = [
    {
        "name": "read_file",
        "description": "Read a file",
        "input_schema": {
            "type": "object",
            "properties": {
                "absolute_path": {"type": "string", "description": "The absolute path of the file"},
                "offset": {"type": "integer", "description": "The first line to read"},
                "limit": {"type": "integer", "description": "How many lines to read"},
            },
            "required": ["absolute_path"],
        },
    },
]


def ask():
    return loop.run_until_complete(litellm.anthropic.messages.acreate(
        model="mistral/mistral-large-latest",
        max_tokens=1024,
        messages=messages,
        tools=tools,
        api_base=BASE_URL + "/v1",
        api_key="test-key",
        max_retries=0,
    ))


answer = ask()
print(f"\n<-- {answer!r}")

# mistral.ids.nine-alphanumerics: Tool call ids sent to Mistral match ^[a-zA-Z0-9]{9}$; foreign ids are mapped
#   deterministically on both sides.
#   at:       /messages/1/tool_calls/0/id in request 1
#   expected: nine letters or digits
#   found:    toolu_01A09q90qw90lq917835lq9
#   harness:  conformance run env:litellm-messages --provider mistral --scenario handoff.finished_round --delivery blocking --rule mistral.ids.nine-alphanumerics
