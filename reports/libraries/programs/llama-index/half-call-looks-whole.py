# pip install llama-index-core==0.14.25 llama-index-llms-openai llama-index-llms-anthropic 'anthropic<1'

# arguments.not_an_object/blocking on openai-chat, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.tools import FunctionTool, ToolMetadata
from llama_index.llms.openai import OpenAI
from pydantic import BaseModel

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


def tool(name, description, parameters):
    """A tool whose schema class tells the tool's own schema."""
    schema = {"model_json_schema": classmethod(lambda cls, *args, **options: parameters)}
    metadata = ToolMetadata(name=name, description=description, fn_schema=type("Parameters", (BaseModel,), schema))
    return FunctionTool(fn=lambda **arguments: None, metadata=metadata)


model = OpenAI(model="gpt-4.1", api_key="test-key", api_base=BASE_URL + "/v1", max_retries=0, max_tokens=1024)

tools = [
    tool(
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
    ),
]
chat_history = [ChatMessage(role="user", content="Show the date.")]


def ask():
    return model.chat_with_tools(tools=tools, chat_history=chat_history, allow_parallel_tool_calls=True)


answer = ask()
print(f"\n<-- {answer!r}")

# common.parse.invalid-json-arguments: Arguments that are not valid JSON (truncated, trailing text) neither
#   crash parsing nor silently become {}: the call is surfaced with raw text and an explicit invalid flag.
#   at:       /calls/0 in what the library makes of answer 1
#   expected: {"arguments": null, "raw": "[\"date\", \"-u\"]", "invalid": true}
#   found:    {"arguments": {}, "raw": null, "invalid": false}
#   harness:  conformance run env:llama-index --provider openai-chat --scenario arguments.not_an_object --delivery blocking --rule common.parse.invalid-json-arguments
