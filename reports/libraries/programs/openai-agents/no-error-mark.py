# pip install openai-agents[litellm]==0.24.0

# arguments.not_an_object/blocking on anthropic, without the harness: this program is the provider, too.

import asyncio
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from agents import FunctionTool, ModelSettings
from agents.extensions.models.litellm_model import LitellmModel
from agents.models.interface import ModelTracing

ANSWERS = [
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"model":"test-model","id":"msg_T8tVZVVwSSPHQFWxhtDNikCZ","type":"message","role":"assistan'
             b't","content":[{"type":"tool_use","id":"toolu_8fSApMHvJQHRjXsi9K4Xp9YB","name":"run_shell_co'
             b'mmand","input":"[\\"date\\", \\"-u\\"]"}],"stop_reason":"tool_use","stop_sequence":null,"st'
             b'op_details":null,"usage":{"input_tokens":11,"cache_creation_input_tokens":0,"cache_read_inp'
             b'ut_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0}'
             b',"output_tokens":7,"service_tier":"standard"}}'),
        ],
    ),
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"model":"test-model","id":"msg_MDh5ViM4sSK5KtUrGXqhyAhY","type":"message","role":"assistan'
             b't","content":[{"type":"text","text":"I\'m sorry, that call was malformed."}],"stop_reason":'
             b'"end_turn","stop_sequence":null,"stop_details":null,"usage":{"input_tokens":11,"cache_creat'
             b'ion_input_tokens":0,"cache_read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_token'
             b's":0,"ephemeral_1h_input_tokens":0},"output_tokens":7,"service_tier":"standard"}}'),
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

loop = asyncio.new_event_loop()  # for all calls, because connections are kept for one

model = LitellmModel("anthropic/claude-sonnet-4-20250514", base_url=BASE_URL, api_key="test-key")

items = [{"role": "user", "content": "Show the date."}]
model_settings = ModelSettings(max_tokens=1024, include_usage=True)
tools = [
    FunctionTool(
        name="run_shell_command",
        description="Execute a shell command",
        params_json_schema={
            "type": "object",
            "properties": {
                "command": {"type": "string", "description": "The command line to run"},
                "directory": {"type": "string", "description": "Where to run it"},
                "description": {"type": "string", "description": "What it is for"},
            },
            "required": ["command"],
        },
        on_invoke_tool=None,
        strict_json_schema=False,
    ),
]


def ask():
    return loop.run_until_complete(model.get_response(
        system_instructions=None,
        input=items,
        model_settings=model_settings,
        tools=tools,
        output_schema=None,
        handoffs=[],
        tracing=ModelTracing.DISABLED,
        previous_response_id=None,
        conversation_id=None,
        prompt=None,
    ))


answer = ask()
print(f"\n<-- {answer!r}")
output = answer.output
items += [item.model_dump(exclude_unset=True) for item in output]
calls = [item for item in output if item.type == "function_call"]
items += [
    {
        "type": "function_call_output",
        "call_id": calls[0].call_id,
        "output": '{"error":"The arguments must be an object."}',
    },
]
answer = ask()
print(f"\n<-- {answer!r}")

# common.result.error-visible-to-model: A failed tool is reported to the model: error text always present;
#   native flag where it exists (anthropic is_error, gemini response.error).
#   at:       /messages/2/content/0 in request 2
#   expected: a result that is marked as an error
#   found:    no mark
#   harness:  conformance run env:openai-agents --provider anthropic --scenario arguments.not_an_object --delivery blocking --rule common.result.error-visible-to-model
