# pip install aisuite[anthropic,mcp]==0.2.0

# tool_choice.none/blocking on anthropic, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import aisuite

ANSWERS = [
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"model":"test-model","id":"msg_FZjXxZ9NVw28PveAhNyt6pZY","type":"message","role":"assistan'
             b't","content":[{"type":"text","text":"With `ls -a`."}],"stop_reason":"end_turn","stop_sequen'
             b'ce":null,"stop_details":null,"usage":{"input_tokens":11,"cache_creation_input_tokens":0,"ca'
             b'che_read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_inpu'
             b't_tokens":0},"output_tokens":7,"service_tier":"standard"}}'),
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

client = aisuite.Client({"anthropic": {"api_key": "test-key", "base_url": BASE_URL, "max_retries": 0}})

messages = [{"role": "user", "content": "How would you list hidden files?"}]
tools = [
    {
        "type": "function",
        "function": {
            "name": "run_shell_command",
            "description": "Execute a shell command",
            "parameters": {
                "type": "object",
                "properties": {
                    "command": {"type": "string", "description": "The command line to run"},
                    "directory": {"type": "string", "description": "Where to run it"},
                    "description": {"type": "string", "description": "What it is for"},
                },
                "required": ["command"],
            },
        },
    },
]


def ask():
    return client.chat.completions.create(
        model="anthropic:test-model",
        messages=messages,
        max_tokens=1024,
        tools=tools,
        tool_choice="none",
    )


answer = ask()
print(f"\n<-- {answer!r}")

# anthropic.choose.object-mapping: tool_choice is an object: auto->{type:"auto"}, required->{type:"any"},
#   none->{type:"none"}, forced->{type:"tool",name}, where name is a declared one; while the model thinks,
#   required and forced may become auto.
#   at:       /tool_choice in request 1
#   expected: {"type": "none"}
#   found:    none
#   harness:  conformance run env:aisuite --provider anthropic --scenario tool_choice.none --delivery blocking --rule anthropic.choose.object-mapping
