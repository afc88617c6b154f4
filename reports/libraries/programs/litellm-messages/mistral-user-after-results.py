# pip install litellm[proxy]==1.106.2

# multi_turn.user_after_results/blocking on mistral, without the harness: this program is the provider, too.

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
            (b'{"id":"chatcmpl-oW3QToMqhCPECbEBKhc4TXJv","object":"chat.completion","created":1760000000,"'
             b'model":"test-model","choices":[{"index":0,"message":{"role":"assistant","content":"","tool_'
             b'calls":[{"id":"AYJmns3ta","function":{"name":"run_shell_command","arguments":"{\\"command\\'
             b'":\\"make test\\"}"},"index":0}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":1'
             b'1,"completion_tokens":7,"total_tokens":18}}'),
        ],
    ),
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"id":"chatcmpl-4wpK8no5BgHADjQRPBtDQj7h","object":"chat.completion","created":1760000000,"'
             b'model":"test-model","choices":[{"index":0,"message":{"role":"assistant","content":"Tout est'
             b' vert : 48 tests.","tool_calls":null},"finish_reason":"stop"}],"usage":{"prompt_tokens":11,'
             b'"completion_tokens":7,"total_tokens":18}}'),
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

messages = [{"role": "user", "content": "Run the tests."}]
tools = [
    {
        "name": "run_shell_command",
        "description": "Execute a shell command",
        "input_schema": {
            "type": "object",
            "properties": {
                "command": {"type": "string", "description": "The command line to run"},
                "directory": {"type": "string", "description": "Where to run it"},
                "description": {"type": "string", "description": "What it is for"},
            },
            "required": ["command"],
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
content = answer["content"]
messages.append({"role": "assistant", "content": content})
calls = [block for block in content if block["type"] == "tool_use"]
messages += [
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": calls[0]["id"], "content": "ok 48\n"},
            {"type": "text", "text": "Answer in French, please."},
        ],
    },
]
answer = ask()
print(f"\n<-- {answer!r}")

# mistral.history.assistant-before-user: Between tool messages and a user message stands a message of the
#   assistant.
#   at:       /messages/3/role in request 2
#   expected: a message of the assistant before
#   found:    user
#   harness:  conformance run env:litellm-messages --provider mistral --scenario multi_turn.user_after_results --delivery blocking --rule mistral.history.assistant-before-user
