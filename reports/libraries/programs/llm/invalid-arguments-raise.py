# pip install llm==0.36

# arguments.trailing_text/blocking on openai-chat, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from llm import Tool
from llm.default_plugins import openai_models

ANSWERS = [
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"id":"chatcmpl-YZ4tbAXDurkrUkC2DRLqctzv","object":"chat.completion","created":1760000000,"'
             b'model":"test-model","choices":[{"index":0,"message":{"role":"assistant","content":null,"ref'
             b'usal":null,"tool_calls":[{"id":"call_9gW2a9NP9hgcV6L2xC82zDAd","type":"function","function"'
             b':{"name":"run_shell_command","arguments":"{\\"command\\": \\"date\\"}</tool_call>"}}]},"log'
             b'probs":null,"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":11,"completion_tokens":'
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

model = openai_models.Chat(
    model_id="test-model",
    model_name="test-model",
    key="test-key",
    api_base=BASE_URL + "/v1",
    supports_tools=True,
)
talk = model.conversation()

prompt = "Show the date."
tool_results = []
tools = [
    Tool(
        name="run_shell_command",
        description="Execute a shell command",
        input_schema={
            "type": "object",
            "properties": {
                "command": {"type": "string", "description": "The command line to run"},
                "directory": {"type": "string", "description": "Where to run it"},
                "description": {"type": "string", "description": "What it is for"},
            },
            "required": ["command"],
        },
    ),
]


def ask():
    answer = talk.prompt(
        prompt=prompt,
        tool_results=tool_results,
        system=None,
        tools=tools,
        max_tokens=1024,
        stream=False,
    )
    answer.text()
    return answer


answer = ask()
print(f"\n<-- {(answer.text(), answer.tool_calls(), answer.json())!r}")

# common.parse.invalid-json-arguments: Arguments that are not valid JSON (truncated, trailing text) neither
#   crash parsing nor silently become {}: the call is surfaced with raw text and an explicit invalid flag.
#   at:       (whole) in what the library makes of answer 1
#   expected: the turn that the provider sent
#   found:    complete raised JSONDecodeError: Extra data: line 1 column 20 (char 19)
#   harness:  conformance run env:llm --provider openai-chat --scenario arguments.trailing_text --delivery blocking --rule common.parse.invalid-json-arguments
