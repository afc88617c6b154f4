# pip install pydantic-ai-slim[anthropic]==2.68.0

# shell.empty_output/blocking on anthropic, without the harness: this program is the provider, too.

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
            (b'{"model":"test-model","id":"msg_vRaoZFCSrdYwaDBPWrKim2Fz","type":"message","role":"assistan'
             b't","content":[{"type":"tool_use","id":"toolu_VrD9avJNLewunb3XNi2AKDgK","name":"run_shell_co'
             b'mmand","input":{"command":"touch build/.stamp"}}],"stop_reason":"tool_use","stop_sequence":'
             b'null,"stop_details":null,"usage":{"input_tokens":11,"cache_creation_input_tokens":0,"cache_'
             b'read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_to'
             b'kens":0},"output_tokens":7,"service_tier":"standard"}}'),
        ],
    ),
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"model":"test-model","id":"msg_LRgTVaJ6wfouxiKbPyNWXKnG","type":"message","role":"assistan'
             b't","content":[{"type":"text","text":"Done."}],"stop_reason":"end_turn","stop_sequence":null'
             b',"stop_details":null,"usage":{"input_tokens":11,"cache_creation_input_tokens":0,"cache_read'
             b'_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens'
             b'":0},"output_tokens":7,"service_tier":"standard"}}'),
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

messages = [ModelRequest(parts=[UserPromptPart("Create the stamp file.")])]
model_request_parameters = ModelRequestParameters(
    function_tools=[
        ToolDefinition(
            name="run_shell_command",
            description="Execute a shell command",
            parameters_json_schema={
                "type": "object",
                "properties": {
                    "command": {"type": "string", "description": "The command line to run"},
                    "directory": {"type": "string", "description": "Where to run it"},
                    "description": {"type": "string", "description": "What it is for"},
                },
                "required": ["command"],
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
    ModelRequest(parts=[ToolReturnPart("run_shell_command", "", tool_call_id=calls[0].tool_call_id)]),
]
answer = ask()
print(f"\n<-- {answer!r}")

# anthropic.history.no-empty-text-blocks: No text block or string content of a message is empty or only white
#   space (drop the block; empty assistant text beside tool_use is dropped), and none in a result or in system
#   is empty. White space is taken beside the model's calls, and anything in a last assistant message.
#   at:       /messages/2/content/0/content/0/text in request 2
#   expected: text, or no block at all
#   found:    ""
#   harness:  conformance run env:pydantic-ai --provider anthropic --scenario shell.empty_output --delivery blocking --rule anthropic.history.no-empty-text-blocks
