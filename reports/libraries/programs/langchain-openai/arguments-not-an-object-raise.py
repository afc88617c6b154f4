# pip install langchain-openai==1.7.3

# arguments.not_an_object/blocking on openai-chat, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from langchain_core.messages import HumanMessage
from langchain_openai import ChatOpenAI

ANSWERS = [
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"id":"chatcmpl-T8tVZVVwSSPHQFWxhtDNikCZ","object":"chat.completion","created":1760000000,"'
             b'model":"test-model","choices":[{"index":0,"message":{"role":"assistant","content":null,"ref'
             b'usal":null,"tool_calls":[{"id":"call_8fSApMHvJQHRjXsi9K4Xp9YB","type":"function","function"'
             b':{"name":"run_shell_command","arguments":"[\\"date\\", \\"-u\\"]"}}]},"logprobs":null,"fini'
             b'sh_reason":"tool_calls"}],"usage":{"prompt_tokens":11,"completion_tokens":7,"total_tokens":'
             b"18}}"),
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

model = ChatOpenAI(
    model="test-model",
    api_key="test-key",
    base_url=BASE_URL + "/v1",
    max_tokens=1024,
    max_retries=0,
    stream_usage=True,
)

messages = [HumanMessage("Show the date.")]
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
    return model.bind_tools(tools=tools).invoke(messages)


answer = ask()
print(f"\n<-- {answer!r}")

# common.parse.invalid-json-arguments: Arguments that are not valid JSON (truncated, trailing text) neither
#   crash parsing nor silently become {}: the call is surfaced with raw text and an explicit invalid flag.
#   at:       (whole) in what the library makes of answer 1
#   expected: the turn that the provider sent
#   found:    complete raised ValidationError: 1 validation error for AIMessage tool_calls.0.args Input should be a valid dictionary [type=dict_type, input_value=['date', '-u'], input_type=list] For further information visit https://errors.pydantic.dev/2.14/v/dict_type
#   harness:  conformance run env:langchain-openai --provider openai-chat --scenario arguments.not_an_object --delivery blocking --rule common.parse.invalid-json-arguments
