# pip install litellm[mcp]==1.106.2

# shell.empty_output/blocking on mistral, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import litellm

ANSWERS = [
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"id":"chatcmpl-vRaoZFCSrdYwaDBPWrKim2Fz","object":"chat.completion","created":1760000000,"'
             b'model":"test-model","choices":[{"index":0,"message":{"role":"assistant","content":"","tool_'
             b'calls":[{"id":"VrD9avJNL","function":{"name":"run_shell_command","arguments":"{\\"command\\'
             b'":\\"touch build/.stamp\\"}"},"index":0}]},"finish_reason":"tool_calls"}],"usage":{"prompt_'
             b'tokens":11,"completion_tokens":7,"total_tokens":18}}'),
        ],
    ),
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"id":"chatcmpl-LRgTVaJ6wfouxiKbPyNWXKnG","object":"chat.completion","created":1760000000,"'
             b'model":"test-model","choices":[{"index":0,"message":{"role":"assistant","content":"Done.","'
             b'tool_calls":null},"finish_reason":"stop"}],"usage":{"prompt_tokens":11,"completion_tokens":'
             b'7,"total_tokens":18}}'),
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

items = [{"role": "user", "content": "Create the stamp file."}]
tools = [
    {
        "type": "function",
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
        "strict": False,
    },
]


def ask():
    return litellm.responses(
        model="mistral/mistral-large-latest",
        input=items,
        max_output_tokens=1024,
        tools=tools,
        api_base=BASE_URL + "/v1",
        api_key="test-key",
        max_retries=0,
    )


answer = ask()
print(f"\n<-- {answer!r}")
output = [item.model_dump(exclude_none=True) for item in answer.output]
items += output
calls = [item for item in output if item["type"] == "function_call"]
items += [{"type": "function_call_output", "call_id": calls[0]["call_id"], "output": ""}]
answer = ask()
print(f"\n<-- {answer!r}")

# common.result.exactly-one-per-call: Before the next model call, every open call has exactly one result (a
#   denied, skipped or crashed tool still gets a result). Gemini also takes a user who goes on without any
#   result.
#   at:       /messages/1/tool_calls/0 in request 2
#   expected: one result for this call
#   found:    no result
#   harness:  conformance run env:litellm-responses --provider mistral --scenario shell.empty_output --delivery blocking --rule common.result.exactly-one-per-call
