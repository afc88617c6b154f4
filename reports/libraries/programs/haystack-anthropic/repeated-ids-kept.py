# pip install anthropic-haystack==8.0.1

# quirks.repeated_id/blocking on anthropic, without the harness: this program is the provider, too.

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
            (b'{"model":"test-model","id":"msg_g58araQLmCntSwYWRcZ3dbpc","type":"message","role":"assistan'
             b't","content":[{"type":"tool_use","id":"toolu_TTfpTsDEo6FaHURW2SB7SNqM","name":"read_file","'
             b'input":{"absolute_path":"/srv/a.txt"}},{"type":"tool_use","id":"toolu_TTfpTsDEo6FaHURW2SB7S'
             b'NqM","name":"read_file","input":{"absolute_path":"/srv/b.txt"}}],"stop_reason":"tool_use","'
             b'stop_sequence":null,"stop_details":null,"usage":{"input_tokens":11,"cache_creation_input_to'
             b'kens":0,"cache_read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"epheme'
             b'ral_1h_input_tokens":0},"output_tokens":7,"service_tier":"standard"}}'),
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

messages = [ChatMessage.from_user("Compare a.txt with b.txt.")]
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

# common.ids.unique-in-conversation: Call ids as the application sees them are not empty and are unique in the
#   conversation: ids that sloppy gateways leave out or repeat are minted anew.
#   at:       /calls/1/id in what the library makes of answer 1
#   expected: an id of its own
#   found:    toolu_TTfpTsDEo6FaHURW2SB7SNqM
#   harness:  conformance run env:haystack-anthropic --provider anthropic --scenario quirks.repeated_id --delivery blocking --rule common.ids.unique-in-conversation
