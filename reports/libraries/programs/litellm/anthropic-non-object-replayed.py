# pip install litellm[mcp]==1.106.2

# arguments.not_an_object/blocking on anthropic, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import litellm

ANSWERS = [
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"model":"test-model","id":"msg_T8tVZVVwSSPHQFWxhtDNikCZ","type":"message","role":"assistan'
             b't","content":[{"type":"tool_use","id":"toolu_8fSApMHvJQHRjXsi9K4Xp9YB","name":"run_shell_co'
             b'mmand","input":"[\\"date\\", \\"-u\\"]"}],"stop_reason":"tool_use","stop_sequence":null,"st'
             b'op_details":null,"usage":{"input_tokens":11,"cache_creation_input_tokens":0,"cache_read_inp'
             b'ut_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0}'
             b',"output_tokens":7,"service_tier":"standard"}}'),
        ],
    ),
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"model":"test-model","id":"msg_MDh5ViM4sSK5KtUrGXqhyAhY","type":"message","role":"assistan'
             b't","content":[{"type":"text","text":"I\'m sorry, that call was malformed."}],"stop_reason":'
             b'"end_turn","stop_sequence":null,"stop_details":null,"usage":{"input_tokens":11,"cache_creat'
             b'ion_input_tokens":0,"cache_read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_token'
             b's":0,"ephemeral_1h_input_tokens":0},"output_tokens":7,"service_tier":"standard"}}'),
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

messages = [{"role": "user", "content": "Show the date."}]
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
    return litellm.completion(
        model="anthropic/claude-sonnet-4-5",
        messages=messages,
        max_tokens=1024,
        tools=tools,
        api_base=BASE_URL,
        api_key="test-key",
        max_retries=0,
    )


answer = ask()
print(f"\n<-- {answer!r}")
messages.append(answer.choices[0].message)
calls = messages[-1].tool_calls or []
messages += [
    {
        "role": "tool",
        "tool_call_id": calls[0].id,
        "name": "run_shell_command",
        "content": '{"error":"The arguments must be an object."}',
    },
]
answer = ask()
print(f"\n<-- {answer!r}")

# anthropic.history.assistant-content-replayed: What the model said is replayed block by block in its order:
#   text, tool_use with input as an object, server tool blocks with what is encrypted in them. Empty text and
#   blocks that nobody knows may be left out, and tool_use may move to the end.
#   at:       /messages/1/content/0/input in request 2
#   expected: an object
#   found:    "[\"date\", \"-u\"]"
#   harness:  conformance run env:litellm --provider anthropic --scenario arguments.not_an_object --delivery blocking --rule anthropic.history.assistant-content-replayed
