# pip install anthropic-haystack==8.0.1

# errors.length_in_arguments/blocking on anthropic, without the harness: this program is the provider, too.

import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from haystack.dataclasses import ChatMessage
from haystack.tools import Tool
from haystack.utils import Secret
from haystack_integrations.components.generators.anthropic import AnthropicChatGenerator

ANSWERS = [
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"model":"test-model","id":"msg_EZG4jhthRa5wGpjzG955DUSK","type":"message","role":"assistan'
             b't","content":[{"type":"tool_use","id":"toolu_RZL7q777k7huTvuQfbwxZCFX","name":"write_file",'
             b'"input":"{\\"file_path\\": \\"/srv/story.md\\", \\"content\\": \\"Once upon a time, in a \\'
             b'\\\\"small\\\\\\" vill"}],"stop_reason":"max_tokens","stop_sequence":null,"stop_details":nu'
             b'll,"usage":{"input_tokens":11,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"'
             b'cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0},"output_token'
             b's":7,"service_tier":"standard"}}'),
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

os.environ["ANTHROPIC_BASE_URL"] = BASE_URL
generator = AnthropicChatGenerator(
    api_key=Secret.from_token("test-key"),
    model="test-model",
    max_retries=0,
    ignore_tools_thinking_messages=False,
)

messages = [ChatMessage.from_user("Write a long story.")]
tools = [
    Tool(
        name="write_file",
        description="Write a file",
        parameters={
            "type": "object",
            "properties": {
                "file_path": {"type": "string", "description": "The absolute path of the file"},
                "content": {"type": "string", "description": "What to write"},
            },
            "required": ["file_path", "content"],
        },
        function=print,
    ),
]


def ask():
    return generator.run(messages=messages, tools=tools, generation_kwargs={"max_tokens": 1024})


answer = ask()
print(f"\n<-- {answer!r}")

# common.parse.invalid-json-arguments: Arguments that are not valid JSON (truncated, trailing text) neither
#   crash parsing nor silently become {}: the call is surfaced with raw text and an explicit invalid flag.
#   at:       /calls in what the library makes of answer 1
#   expected: a call of write_file that is marked invalid
#   found:    no such call
#   harness:  conformance run env:haystack-anthropic --provider anthropic --scenario errors.length_in_arguments --delivery blocking --rule common.parse.invalid-json-arguments
