# pip install pydantic-ai-slim[openai]==2.68.0

# no_arguments.beside_arguments/blocking on openai-chat, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from openai import AsyncOpenAI
from pydantic_ai.direct import model_request_sync
from pydantic_ai.messages import ModelRequest
from pydantic_ai.messages import ToolReturnPart, UserPromptPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.tools import ToolDefinition

ANSWERS = [
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"id":"chatcmpl-8SrTjWrNy4igaQnBHqWPoMbo","object":"chat.completion","created":1760000000,"'
             b'model":"test-model","choices":[{"index":0,"message":{"role":"assistant","content":null,"ref'
             b'usal":null,"tool_calls":[{"id":"call_fnbZKJFLKSdykCrkrNQuqHua","type":"function","function"'
             b':{"name":"list_todos","arguments":"{}"}},{"id":"call_Tx39ZpBHRY3bbnkxbm42ib5x","type":"func'
             b'tion","function":{"name":"read_file","arguments":"{\\"absolute_path\\":\\"/srv/notes/standu'
             b'p.md\\"}"}},{"id":"call_6LobZPUo48CzUXCKXitLNHNm","type":"function","function":{"name":"git'
             b'_status","arguments":"{}"}}]},"logprobs":null,"finish_reason":"tool_calls"}],"usage":{"prom'
             b'pt_tokens":11,"completion_tokens":7,"total_tokens":18}}'),
        ],
    ),
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"id":"chatcmpl-GFtQykCKnWWzKpKDX6QHtD2C","object":"chat.completion","created":1760000000,"'
             b'model":"test-model","choices":[{"index":0,"message":{"role":"assistant","content":"Release '
             b'done, three files changed, no tasks left.","refusal":null},"logprobs":null,"finish_reason":'
             b'"stop"}],"usage":{"prompt_tokens":11,"completion_tokens":7,"total_tokens":18}}'),
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

client = AsyncOpenAI(base_url=BASE_URL + "/v1", api_key="test-key", max_retries=0)
model = OpenAIChatModel("gpt-5", provider=OpenAIProvider(openai_client=client))

messages = [ModelRequest(parts=[UserPromptPart("Prepare the stand-up.")])]
model_request_parameters = ModelRequestParameters(
    function_tools=[
        ToolDefinition(
            name="list_todos",
            description="List the open tasks",
            parameters_json_schema={"type": "object", "properties": {}},
        ),
        ToolDefinition(
            name="read_file",
            description="Read a file",
            parameters_json_schema={
                "type": "object",
                "properties": {
                    "absolute_path": {"type": "string", "description": "The absolute path of the file"},
                    "offset": {"type": "integer", "description": "The first line to read"},
                    "limit": {"type": "integer", "description": "How many lines to read"},
                },
                "required": ["absolute_path"],
            },
        ),
        ToolDefinition(
            name="git_status",
            description="Show the state of the working tree",
            parameters_json_schema={
                "type": "object",
                "properties": {"path": {"type": "string", "description": "Only below this path"}},
            },
        ),
    ],
)


def ask():
    history = model.prepare_messages(messages)
    return model_request_sync(messages=history,
        model=model,
        model_settings={"max_tokens": 1024},
        model_request_parameters=model_request_parameters,
    )


answer = ask()
print(f"\n<-- {answer!r}")
messages.append(answer)
calls = answer.tool_calls
messages += [
    ModelRequest(
        parts=[
            ToolReturnPart("list_todos", [], tool_call_id=calls[0].tool_call_id),
            ToolReturnPart("read_file", "Yesterday: release\n", tool_call_id=calls[1].tool_call_id),
            ToolReturnPart("git_status", "3 files changed", tool_call_id=calls[2].tool_call_id),
        ],
    ),
]
answer = ask()
print(f"\n<-- {answer!r}")

# common.result.structured-output-serialised-as-json: A structured (non-string) tool result is serialised as
#   valid JSON (or as an object where the wire is an object), never as a language repr or a bare number/list in
#   a string-only field.
#   at:       /messages/2/content in request 2
#   expected: []
#   found:    ""
#   harness:  conformance run env:pydantic-ai --provider openai-chat --scenario no_arguments.beside_arguments --delivery blocking --rule common.result.structured-output-serialised-as-json
