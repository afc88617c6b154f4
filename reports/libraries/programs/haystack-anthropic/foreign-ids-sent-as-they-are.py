# pip install anthropic-haystack==8.0.1

# handoff.odd_id/blocking on anthropic, without the harness: this program is the provider, too.

import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from haystack.dataclasses import ChatMessage, ToolCall
from haystack.tools import Tool
from haystack.utils import Secret
from haystack_integrations.components.generators.anthropic import AnthropicChatGenerator

ANSWERS = [
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"model":"test-model","id":"msg_TXh8J2goVY4sS54hWoJiZaHU","type":"message","role":"assistan'
             b't","content":[{"type":"text","text":"Yes, it is."}],"stop_reason":"end_turn","stop_sequence'
             b'":null,"stop_details":null,"usage":{"input_tokens":11,"cache_creation_input_tokens":0,"cach'
             b'e_read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_'
             b'tokens":0},"output_tokens":7,"service_tier":"standard"}}'),
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

messages = [
    ChatMessage.from_user("What is the port?"),
    ChatMessage.from_assistant(
        None,
        tool_calls=[
            ToolCall(
                tool_name="read_file",
                arguments={"absolute_path": "/srv/app/config.yaml"},
                id="functions.read_file:0/é",
            ),
        ],
    ),
    ChatMessage.from_tool(
        "port: 8080\n",
        origin=ToolCall(
            tool_name="read_file",
            arguments={"absolute_path": "/srv/app/config.yaml"},
            id="functions.read_file:0/é",
        ),
    ),
    ChatMessage.from_assistant("It is 8080.", tool_calls=[]),
    ChatMessage.from_user("Is that above 1024?"),
]
tools = [
    Tool(
        name="read_file",
        description="Read a file",
        parameters={
            "type": "object",
            "properties": {
                "absolute_path": {"type": "string", "description": "The absolute path of the file"},
                "offset": {"type": "integer", "description": "The first line to read"},
                "limit": {"type": "integer", "description": "How many lines to read"},
            },
            "required": ["absolute_path"],
        },
        function=print,
    ),
]


def ask():
    return generator.run(messages=messages, tools=tools, generation_kwargs={"max_tokens": 1024})


answer = ask()
print(f"\n<-- {answer!r}")

# anthropic.ids.pattern-and-uniqueness: tool_use.id matches ^[a-zA-Z0-9_-]+$ and is unique in its assistant
#   turn; foreign ids are mapped deterministically on both sides.
#   at:       /messages/1/content/0/id in request 1
#   expected: an id that matches ^[a-zA-Z0-9_-]+$
#   found:    functions.read_file:0/é
#   harness:  conformance run env:haystack-anthropic --provider anthropic --scenario handoff.odd_id --delivery blocking --rule anthropic.ids.pattern-and-uniqueness
