# pip install langchain-anthropic==1.7.7

# arguments.not_an_object/stream:per-event on anthropic, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from langchain_anthropic import ChatAnthropic
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.messages.utils import message_chunk_to_message

ANSWERS = [
    (
        200,
        {"content-type": "text/event-stream; charset=utf-8"},
        [
            (b"event: message_start\n"
             b'data: {"type":"message_start","message":{"model":"test-model","id":"msg_T8tVZVVwSSPHQFWxhtD'
             b'NikCZ","type":"message","role":"assistant","content":[],"stop_reason":null,"stop_sequence":'
             b'null,"stop_details":null,"usage":{"input_tokens":11,"cache_creation_input_tokens":0,"cache_'
             b'read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_to'
             b'kens":0},"output_tokens":1,"service_tier":"standard"}}}\n\n'),
            (b"event: content_block_start\n"
             b'data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"tool'
             b'u_8fSApMHvJQHRjXsi9K4Xp9YB","name":"run_shell_command","input":{}}}\n\n'),
            b'event: ping\ndata: {"type":"ping"}\n\n',
            (b"event: content_block_delta\n"
             b'data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_j'
             b'son":""}}\n\n'),
            (b"event: content_block_delta\n"
             b'data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_j'
             b'son":"[\\"da"}}\n\n'),
            (b"event: content_block_delta\n"
             b'data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_j'
             b'son":"te\\","}}\n\n'),
            (b"event: content_block_delta\n"
             b'data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_j'
             b'son":" \\"-u"}}\n\n'),
            (b"event: content_block_delta\n"
             b'data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_j'
             b'son":"\\"]"}}\n\n'),
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
             b'data: {"type":"message_start","message":{"model":"test-model","id":"msg_MDh5ViM4sSK5KtUrGXq'
             b'hyAhY","type":"message","role":"assistant","content":[],"stop_reason":null,"stop_sequence":'
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

model = ChatAnthropic(
    model="test-model",
    api_key="test-key",
    base_url=BASE_URL,
    max_tokens=1024,
    max_retries=0,
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
    whole = None
    for chunk in model.bind_tools(tools=tools).stream(messages):
        whole = chunk if whole is None else whole + chunk
    return message_chunk_to_message(whole)


answer = ask()
print(f"\n<-- {answer!r}")
messages.append(answer)
calls = [*answer.tool_calls, *answer.invalid_tool_calls]
messages += [
    ToolMessage(
        content="The arguments must be an object.",
        tool_call_id=calls[0]["id"],
        name="run_shell_command",
        status="error",
    ),
]
answer = ask()
print(f"\n<-- {answer!r}")

# anthropic.history.assistant-content-replayed: What the model said is replayed block by block in its order:
#   text, tool_use with input as an object, server tool blocks with what is encrypted in them. Empty text and
#   blocks that nobody knows may be left out, and tool_use may move to the end.
#   at:       /messages/1/content/0/input in request 2
#   expected: an object
#   found:    ["date", "-u"]
#   harness:  conformance run env:langchain-anthropic --provider anthropic --scenario arguments.not_an_object --delivery stream:per-event --rule anthropic.history.assistant-content-replayed
