# pip install openai-agents[litellm]==0.24.0

# arguments.trailing_text/stream:per-event on anthropic, without the harness: this program is the provider, too.

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
        {"content-type": "text/event-stream; charset=utf-8"},
        [
            (b"event: message_start\n"
             b'data: {"type":"message_start","message":{"model":"test-model","id":"msg_YZ4tbAXDurkrUkC2DRL'
             b'qctzv","type":"message","role":"assistant","content":[],"stop_reason":null,"stop_sequence":'
             b'null,"stop_details":null,"usage":{"input_tokens":11,"cache_creation_input_tokens":0,"cache_'
             b'read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_to'
             b'kens":0},"output_tokens":1,"service_tier":"standard"}}}\n\n'),
            (b"event: content_block_start\n"
             b'data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"tool'
             b'u_9gW2a9NP9hgcV6L2xC82zDAd","name":"run_shell_command","input":{}}}\n\n'),
            b'event: ping\ndata: {"type":"ping"}\n\n',
            (b"event: content_block_delta\n"
             b'data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_j'
             b'son":""}}\n\n'),
            (b"event: content_block_delta\n"
             b'data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_j'
             b'son":"{\\"comman"}}\n\n'),
            (b"event: content_block_delta\n"
             b'data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_j'
             b'son":"d\\": \\"dat"}}\n\n'),
            (b"event: content_block_delta\n"
             b'data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_j'
             b'son":"e\\"}</too"}}\n\n'),
            (b"event: content_block_delta\n"
             b'data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_j'
             b'son":"l_call>"}}\n\n'),
            b'event: content_block_stop\ndata: {"type":"content_block_stop","index":0}\n\n',
            (b"event: message_delta\n"
             b'data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null,"stop_'
             b'details":null},"usage":{"input_tokens":11,"cache_creation_input_tokens":0,"cache_read_input'
             b'_tokens":0,"output_tokens":7}}\n\n'),
            b'event: message_stop\ndata: {"type":"message_stop"}\n\n',
        ],
    ),
    (
        200,
        {"content-type": "text/event-stream; charset=utf-8"},
        [
            (b"event: message_start\n"
             b'data: {"type":"message_start","message":{"model":"test-model","id":"msg_wp3PLFKmUqiFyRJaBTR'
             b'WfmNM","type":"message","role":"assistant","content":[],"stop_reason":null,"stop_sequence":'
             b'null,"stop_details":null,"usage":{"input_tokens":11,"cache_creation_input_tokens":0,"cache_'
             b'read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_to'
             b'kens":0},"output_tokens":1,"service_tier":"standard"}}}\n\n'),
            (b"event: content_block_start\n"
             b'data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n'
             b"\n"),
            b'event: ping\ndata: {"type":"ping"}\n\n',
            (b"event: content_block_delta\n"
             b'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"I\'m sor'
             b'ry"}}\n\n'),
            (b"event: content_block_delta\n"
             b'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":", that c'
             b'a"}}\n\n'),
            (b"event: content_block_delta\n"
             b'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"ll was m'
             b'a"}}\n\n'),
            (b"event: content_block_delta\n"
             b'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"lformed.'
             b'"}}\n\n'),
            b'event: content_block_stop\ndata: {"type":"content_block_stop","index":0}\n\n',
            (b"event: message_delta\n"
             b'data: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null,"stop_'
             b'details":null},"usage":{"input_tokens":11,"cache_creation_input_tokens":0,"cache_read_input'
             b'_tokens":0,"output_tokens":7}}\n\n'),
            b'event: message_stop\ndata: {"type":"message_stop"}\n\n',
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
    async def stream():
        return [event async for event in model.stream_response(
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
        )]

    return loop.run_until_complete(stream())


answer = ask()
print(f"\n<-- {answer!r}")
output = answer[-1].response.output
items += [item.model_dump(exclude_unset=True) for item in output]
calls = [item for item in output if item.type == "function_call"]
items += [
    {
        "type": "function_call_output",
        "call_id": calls[0].call_id,
        "output": '{"error":"The arguments were not valid JSON."}',
    },
]
answer = ask()
print(f"\n<-- {answer!r}")

# common.adapter.completes: Every operation that the adapter declares returns a value of the right type, within
#   the time limit and without raising.
#   at:       (whole) in what the library makes of answer 2
#   expected: a request from complete
#   found:    complete raised BadRequestError: litellm.BadRequestError: AnthropicException - Failed to parse tool call arguments for tool 'run_shell_command' (Anthropic tool invoke). Error: Extra data: line 1 column 20 (char 19). Arguments: {"command": "date"}</tool_call> Received Messages=[{'role': 'user', 'content': 'Show the date.'}, {'role': 'assistant', 'tool_calls': [{'id': 'toolu_9gW2a9NP9hgcV6L2xC82zDAd', 'type': 'function', 'function': {'name': 'run_shell_command', 'arguments': '{"command": "date"}</tool_call>'}}]}, {'role': 'tool',
#   harness:  conformance run env:openai-agents --provider anthropic --scenario arguments.trailing_text --delivery stream:per-event --rule common.adapter.completes
