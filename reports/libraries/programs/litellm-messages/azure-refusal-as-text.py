# pip install litellm[proxy]==1.106.2

# errors.refusal_after_text/blocking on azure, without the harness: this program is the provider, too.

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
            (b'{"id":"chatcmpl-ywfsJKkaoEhfoFH8NBjXP5pH","object":"chat.completion","created":1760000000,"'
             b'model":"test-model","choices":[{"index":0,"message":{"role":"assistant","content":"The expl'
             b'oit abuses an unchecked length.","refusal":"I can\'t run it."},"logprobs":null,"finish_reas'
             b'on":"stop","content_filter_results":{"hate":{"filtered":false,"severity":"safe"},"self_harm'
             b'":{"filtered":false,"severity":"safe"},"sexual":{"filtered":false,"severity":"safe"},"viole'
             b'nce":{"filtered":false,"severity":"safe"}}}],"usage":{"prompt_tokens":11,"completion_tokens'
             b'":7,"total_tokens":18},"prompt_filter_results":[{"prompt_index":0,"content_filter_results":'
             b'{"hate":{"filtered":false,"severity":"safe"},"self_harm":{"filtered":false,"severity":"safe'
             b'"},"sexual":{"filtered":false,"severity":"safe"},"violence":{"filtered":false,"severity":"s'
             b'afe"}}}]}'),
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

messages = [{"role": "user", "content": "Explain the exploit, then run it."}]
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
        model="azure/gpt-4.1",
        max_tokens=1024,
        messages=messages,
        tools=tools,
        api_base=BASE_URL,
        api_key="test-key",
        max_retries=0,
        api_version="2024-10-21",
    ))


answer = ask()
print(f"\n<-- {answer!r}")

# common.parse.text-kept: The text of an answer without calls is read whole and unchanged.
#   at:       /text in what the library makes of answer 1
#   expected: The exploit abuses an unchecked length.
#   found:    The exploit abuses an unchecked length.I can't run it.
#   harness:  conformance run env:litellm-messages --provider azure --scenario errors.refusal_after_text --delivery blocking --rule common.parse.text-kept
