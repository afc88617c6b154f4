# pip install any-llm-sdk==1.40.2

# handoff.long_id/blocking on deepseek, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from any_llm import AnyLLM

ANSWERS = [
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"id":"chatcmpl-5jejCGHekBgGg9FArWDjXvV6","object":"chat.completion","created":1760000000,"'
             b'model":"test-model","choices":[{"index":0,"message":{"role":"assistant","content":"Yes, it '
             b'is."},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":11,"completion_toke'
             b'ns":7,"total_tokens":18}}'),
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

client = AnyLLM.create("deepseek", api_key="test-key", api_base=BASE_URL, max_retries=0)

messages = [
    {"role": "user", "content": "What is the port?"},
    {
        "role": "assistant",
        "content": "",
        "tool_calls": [
            {
                "id": "call_7f3b9c1e5d2a4860b1c3d5e7f9a1b3c5d7e9f1a3b5c7d9e1f3a5b7c9d1e3f5a7b9c1d3e5",
                "type": "function",
                "function": {"name": "read_file", "arguments": '{"absolute_path":"/srv/app/config.yaml"}'},
            },
        ],
    },
    {
        "role": "tool",
        "tool_call_id": "call_7f3b9c1e5d2a4860b1c3d5e7f9a1b3c5d7e9f1a3b5c7d9e1f3a5b7c9d1e3f5a7b9c1d3e5",
        "name": "read_file",
        "content": "port: 8080\n",
    },
    {"role": "assistant", "content": "It is 8080."},
    {"role": "user", "content": "Is that above 1024?"},
]
tools = [
    {
        "type": "function",
        "function": {
            "name": "read_file",
            "description": "Read a file",
            "parameters": {
                "type": "object",
                "properties": {
                    "absolute_path": {"type": "string", "description": "The absolute path of the file"},
                    "offset": {"type": "integer", "description": "The first line to read"},
                    "limit": {"type": "integer", "description": "How many lines to read"},
                },
                "required": ["absolute_path"],
            },
        },
    },
]


def ask():
    return client.completion(
        model="test-model",
        messages=messages,
        max_tokens=1024,
        tools=tools,
        reasoning_effort="none",
    )


answer = ask()
print(f"\n<-- {answer!r}")

# chat.ids.max-length: tool_calls[].id and tool_call_id are at most 64 characters; foreign ids are shortened
#   deterministically on both sides (SHOULD stay <= 40: older models/Azure/Copilot still enforce 40).
#   at:       /messages/1/tool_calls/0/id in request 1
#   expected: at most 64 characters
#   found:    call_7f3b9c1e5d2a4860b1c3d5e7f9a1b3c5d7e9f1a3b5c7d9e1f3a5b7c9d1e3f5a7b9c1d3e5 (77 characters)
#   harness:  conformance run env:any-llm --provider deepseek --scenario handoff.long_id --delivery blocking --rule chat.ids.max-length
