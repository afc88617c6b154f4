# pip install pydantic-ai-slim[anthropic]==2.68.0

# handoff.odd_id/blocking on anthropic, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from anthropic import AsyncAnthropic
from pydantic_ai.direct import model_request_sync
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.messages import ToolReturnPart, UserPromptPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.tools import ToolDefinition

ANSWERS = [
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"model":"test-model","id":"msg_TXh8J2goVY4sS54hWoJiZaHU","type":"message","role":"assistan'
             b't","content":[{"type":"text","text":"Yes, it is."}],"stop_reason":"end_turn","stop_sequence'
             b'":null,"stop_details":null,"usage":{"input_tokens":11,"cache_creation_input_tokens":0,"cach'
             b'e_read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_'
             b'tokens":0},"output_tokens":7,"service_tier":"standard"}}'),
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

client = AsyncAnthropic(base_url=BASE_URL, api_key="test-key", max_retries=0)
model = AnthropicModel("claude-sonnet-4-5", provider=AnthropicProvider(anthropic_client=client))

messages = [
    ModelRequest(parts=[UserPromptPart("What is the port?")]),
    ModelResponse(
        parts=[
            ToolCallPart(
                "read_file",
                {"absolute_path": "/srv/app/config.yaml"},
                tool_call_id="functions.read_file:0/é",
            ),
        ],
    ),
    ModelRequest(parts=[ToolReturnPart("read_file", "port: 8080\n", tool_call_id="functions.read_file:0/é")]),
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

# anthropic.ids.pattern-and-uniqueness: tool_use.id matches ^[a-zA-Z0-9_-]+$ and is unique in its assistant
#   turn; foreign ids are mapped deterministically on both sides.
#   at:       /messages/1/content/0/id in request 1
#   expected: an id that matches ^[a-zA-Z0-9_-]+$
#   found:    functions.read_file:0/é
#   harness:  conformance run env:pydantic-ai --provider anthropic --scenario handoff.odd_id --delivery blocking --rule anthropic.ids.pattern-and-uniqueness
