# pip install anthropic-haystack==8.0.1

# shell.empty_output/blocking on anthropic, without the harness: this program is the provider, too.

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
            (b'{"model":"test-model","id":"msg_vRaoZFCSrdYwaDBPWrKim2Fz","type":"message","role":"assistan'
             b't","content":[{"type":"tool_use","id":"toolu_VrD9avJNLewunb3XNi2AKDgK","name":"run_shell_co'
             b'mmand","input":{"command":"touch build/.stamp"}}],"stop_reason":"tool_use","stop_sequence":'
             b'null,"stop_details":null,"usage":{"input_tokens":11,"cache_creation_input_tokens":0,"cache_'
             b'read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_to'
             b'kens":0},"output_tokens":7,"service_tier":"standard"}}'),
        ],
    ),
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"model":"test-model","id":"msg_LRgTVaJ6wfouxiKbPyNWXKnG","type":"message","role":"assistan'
             b't","content":[{"type":"text","text":"Done."}],"stop_reason":"end_turn","stop_sequence":null'
             b',"stop_details":null,"usage":{"input_tokens":11,"cache_creation_input_tokens":0,"cache_read'
             b'_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens'
             b'":0},"output_tokens":7,"service_tier":"standard"}}'),
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

messages = [ChatMessage.from_user("Create the stamp file.")]
tools = [
    Tool(
        name="run_shell_command",
        description="Execute a shell command",
        parameters={
            "type": "object",
            "properties": {
                "command": {"type": "string", "description": "The command line to run"},
                "directory": {"type": "string", "description": "Where to run it"},
                "description": {"type": "string", "description": "What it is for"},
            },
            "required": ["command"],
        },
        function=print,
    ),
]


def ask():
    return generator.run(messages=messages, tools=tools, generation_kwargs={"max_tokens": 1024})


answer = ask()
print(f"\n<-- {answer!r}")
messages += answer["replies"]
calls = messages[-1].tool_calls
messages += [ChatMessage.from_tool("", origin=calls[0])]
answer = ask()
print(f"\n<-- {answer!r}")

# anthropic.history.no-empty-text-blocks: No text block or string content of a message is empty or only white
#   space (drop the block; empty assistant text beside tool_use is dropped), and none in a result or in system
#   is empty. White space is taken beside the model's calls, and anything in a last assistant message.
#   at:       /messages/2/content/0/content/0/text in request 2
#   expected: text, or no block at all
#   found:    ""
#   harness:  conformance run env:haystack-anthropic --provider anthropic --scenario shell.empty_output --delivery blocking --rule anthropic.history.no-empty-text-blocks
