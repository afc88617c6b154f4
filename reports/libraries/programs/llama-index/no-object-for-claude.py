# pip install llama-index-core==0.14.25 llama-index-llms-openai llama-index-llms-anthropic 'anthropic<1'

# no_arguments.null_text/stream:per-event on anthropic, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.tools import FunctionTool, ToolMetadata
from llama_index.llms.anthropic import Anthropic
from pydantic import BaseModel

ANSWERS = [
    (
        200,
        {"content-type": "text/event-stream; charset=utf-8"},
        [
            (b"event: message_start\n"
             b'data: {"type":"message_start","message":{"model":"test-model","id":"msg_qz2rPLuRrqDxGCjC5wb'
             b'VNhtN","type":"message","role":"assistant","content":[],"stop_reason":null,"stop_sequence":'
             b'null,"stop_details":null,"usage":{"input_tokens":11,"cache_creation_input_tokens":0,"cache_'
             b'read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_to'
             b'kens":0},"output_tokens":1,"service_tier":"standard"}}}\n\n'),
            (b"event: content_block_start\n"
             b'data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"tool'
             b'u_6Tz7MV5QGg7ksFLjUGvRgjL5","name":"git_status","input":{}}}\n\n'),
            b'event: ping\ndata: {"type":"ping"}\n\n',
            (b"event: content_block_delta\n"
             b'data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_j'
             b'son":""}}\n\n'),
            (b"event: content_block_delta\n"
             b'data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_j'
             b'son":"n"}}\n\n'),
            (b"event: content_block_delta\n"
             b'data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_j'
             b'son":"u"}}\n\n'),
            (b"event: content_block_delta\n"
             b'data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_j'
             b'son":"l"}}\n\n'),
            (b"event: content_block_delta\n"
             b'data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_j'
             b'son":"l"}}\n\n'),
            b'event: content_block_stop\ndata: {"type":"content_block_stop","index":0}\n\n',
            (b"event: message_delta\n"
             b'data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null,"stop_'
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


def tool(name, description, parameters):
    """A tool whose schema class tells the tool's own schema."""
    schema = {"model_json_schema": classmethod(lambda cls, *args, **options: parameters)}
    metadata = ToolMetadata(name=name, description=description, fn_schema=type("Parameters", (BaseModel,), schema))
    return FunctionTool(fn=lambda **arguments: None, metadata=metadata)


model = Anthropic(
    model="claude-sonnet-4-20250514",
    api_key="test-key",
    base_url=BASE_URL,
    max_retries=0,
    max_tokens=1024,
)

tools = [
    tool(
        name="git_status",
        description="Show the state of the working tree",
        parameters={
            "type": "object",
            "properties": {"path": {"type": "string", "description": "Only below this path"}},
        },
    ),
]
chat_history = [ChatMessage(role="user", content="Is the tree clean?")]


def ask():
    return list(model.stream_chat_with_tools(
        tools=tools,
        chat_history=chat_history,
        allow_parallel_tool_calls=True,
    ))


answer = ask()
print(f"\n<-- {answer!r}")

# common.parse.empty-arguments: A call without arguments ("", "{}", {}, missing, null where the wire allows)
#   parses to args == {} and is not dropped.
#   at:       (whole) in what the library makes of answer 1
#   expected: the turn that the provider sent
#   found:    complete raised ValidationError: 2 validation errors for ToolCallBlock tool_kwargs.dict[str,any] Input should be a valid dictionary [type=dict_type, input_value=None, input_type=NoneType] For further information visit https://errors.pydantic.dev/2.14/v/dict_type tool_kwargs.str Input should be a valid string [type=string_type, input_value=None, input_type=NoneType] For further information visit https://errors.pydantic.dev/2.14/v/string_type
#   harness:  conformance run env:llama-index --provider anthropic --scenario no_arguments.null_text --delivery stream:per-event --rule common.parse.empty-arguments
