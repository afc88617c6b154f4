# pip install litellm[proxy]==1.106.2

# tool_choice.forced_renamed_tool/blocking on mistral, without the harness: this program is the provider, too.

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
            (b'{"id":"chatcmpl-83iJWC4R8WVgN8KXW22CHpLS","object":"chat.completion","created":1760000000,"'
             b'model":"test-model","choices":[{"index":0,"message":{"role":"assistant","content":"","tool_'
             b'calls":[{"id":"TeTtM69vB","function":{"name":"tickets__create_ticket","arguments":"{\\"titl'
             b'e\\":\\"Login page is broken\\"}"},"index":0}]},"finish_reason":"tool_calls"}],"usage":{"pr'
             b'ompt_tokens":11,"completion_tokens":7,"total_tokens":18}}'),
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

messages = [{"role": "user", "content": "The login page is broken."}]
tools = [
    {
        "name": "tickets__create_ticket",
        "description": "Open a ticket",
        "input_schema": {
            "type": "object",
            "properties": {"title": {"type": "string"}},
            "required": ["title"],
        },
    },
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
tool_choice = {"type": "tool", "name": "tickets__create_ticket"}


def ask():
    return loop.run_until_complete(litellm.anthropic.messages.acreate(
        model="mistral/mistral-large-latest",
        max_tokens=1024,
        messages=messages,
        tools=tools,
        tool_choice=tool_choice,
        api_base=BASE_URL + "/v1",
        api_key="test-key",
        max_retries=0,
    ))


answer = ask()
print(f"\n<-- {answer!r}")

# chat.choose.forced-function-nested: A forced tool is {type:"function",function:{name}} (xAI takes
#   {type:"tool",name}, too) and the name is declared.
#   at:       /tool_choice in request 1
#   expected: {"type": "function", "function": {"name": "tickets__create_ticket"}}
#   found:    null
#   harness:  conformance run env:litellm-messages --provider mistral --scenario tool_choice.forced_renamed_tool --delivery blocking --rule chat.choose.forced-function-nested
