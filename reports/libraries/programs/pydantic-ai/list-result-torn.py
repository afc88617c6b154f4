# pip install pydantic-ai-slim[anthropic]==2.68.0

# no_arguments.tool_without_parameters/blocking on anthropic, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from anthropic import AsyncAnthropic
from pydantic_ai.direct import model_request_sync
from pydantic_ai.messages import ModelRequest
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
            (b'{"model":"test-model","id":"msg_HjVERDgdss6h2ntAPZCLUaQ4","type":"message","role":"assistan'
             b't","content":[{"type":"tool_use","id":"toolu_XVP7oYEWUREhWpACnPmEMncH","name":"list_todos",'
             b'"input":{}}],"stop_reason":"tool_use","stop_sequence":null,"stop_details":null,"usage":{"in'
             b'put_tokens":11,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"cache_creation"'
             b':{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0},"output_tokens":7,"service_t'
             b'ier":"standard"}}'),
        ],
    ),
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"model":"test-model","id":"msg_Er3qjpMQwmyvTyJWmDQbae2g","type":"message","role":"assistan'
             b't","content":[{"type":"text","text":"Only the docs."}],"stop_reason":"end_turn","stop_seque'
             b'nce":null,"stop_details":null,"usage":{"input_tokens":11,"cache_creation_input_tokens":0,"c'
             b'ache_read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_inp'
             b'ut_tokens":0},"output_tokens":7,"service_tier":"standard"}}'),
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

messages = [ModelRequest(parts=[UserPromptPart("What is left to do?")])]
model_request_parameters = ModelRequestParameters(
    function_tools=[
        ToolDefinition(
            name="list_todos",
            description="List the open tasks",
            parameters_json_schema={"type": "object", "properties": {}},
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
            ToolReturnPart(
                "list_todos",
                [{"id": 1, "title": "Write the docs"}],
                tool_call_id=calls[0].tool_call_id,
            ),
        ],
    ),
]
answer = ask()
print(f"\n<-- {answer!r}")

# common.result.structured-output-serialised-as-json: A structured (non-string) tool result is serialised as
#   valid JSON (or as an object where the wire is an object), never as a language repr or a bare number/list in
#   a string-only field.
#   at:       /messages/2/content/0/content in request 2
#   expected: [{"id": 1, "title": "Write the docs"}]
#   found:    [{"text": "{\"id\":1,\"title\":\"Write the docs\"}", "type": "text"}]
#   harness:  conformance run env:pydantic-ai --provider anthropic --scenario no_arguments.tool_without_parameters --delivery blocking --rule common.result.structured-output-serialised-as-json
