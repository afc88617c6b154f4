# pip install pydantic-ai-slim[openai]==2.68.0

# handoff.long_id/blocking on openai-chat, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from openai import AsyncOpenAI
from pydantic_ai.direct import model_request_sync
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, ToolCallPart
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
            (b'{"id":"chatcmpl-5jejCGHekBgGg9FArWDjXvV6","object":"chat.completion","created":1760000000,"'
             b'model":"test-model","choices":[{"index":0,"message":{"role":"assistant","content":"Yes, it '
             b'is.","refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":11,"'
             b'completion_tokens":7,"total_tokens":18}}'),
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

messages = [
    ModelRequest(parts=[UserPromptPart("What is the port?")]),
    ModelResponse(
        parts=[
            ToolCallPart(
                "read_file",
                {"absolute_path": "/srv/app/config.yaml"},
                tool_call_id="call_7f3b9c1e5d2a4860b1c3d5e7f9a1b3c5d7e9f1a3b5c7d9e1f3a5b7c9d1e3f5a7b9c1d3e5",
            ),
        ],
    ),
    ModelRequest(
        parts=[
            ToolReturnPart(
                "read_file",
                "port: 8080\n",
                tool_call_id="call_7f3b9c1e5d2a4860b1c3d5e7f9a1b3c5d7e9f1a3b5c7d9e1f3a5b7c9d1e3f5a7b9c1d3e5",
            ),
        ],
    ),
    ModelResponse(parts=[TextPart("It is 8080.")]),
    ModelRequest(parts=[UserPromptPart("Is that above 1024?")]),
]
model_request_parameters = ModelRequestParameters(
    function_tools=[
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

# chat.ids.max-length: tool_calls[].id and tool_call_id are at most 64 characters; foreign ids are shortened
#   deterministically on both sides (SHOULD stay <= 40: older models/Azure/Copilot still enforce 40).
#   at:       /messages/1/tool_calls/0/id in request 1
#   expected: at most 64 characters
#   found:    call_7f3b9c1e5d2a4860b1c3d5e7f9a1b3c5d7e9f1a3b5c7d9e1f3a5b7c9d1e3f5a7b9c1d3e5 (77 characters)
#   harness:  conformance run env:pydantic-ai --provider openai-chat --scenario handoff.long_id --delivery blocking --rule chat.ids.max-length
