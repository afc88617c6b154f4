# pip install any-llm-sdk[anthropic]==1.40.2

# no_arguments.null_text/stream:per-event on anthropic, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from any_llm import AnyLLM

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

client = AnyLLM.create("anthropic", api_key="test-key", api_base=BASE_URL, max_retries=0)

messages = [{"role": "user", "content": "Is the tree clean?"}]
tools = [
    {
        "type": "function",
        "function": {
            "name": "git_status",
            "description": "Show the state of the working tree",
            "parameters": {
                "type": "object",
                "properties": {"path": {"type": "string", "description": "Only below this path"}},
            },
        },
    },
]


def ask():
    return list(client.completion(
        model="test-model",
        messages=messages,
        max_tokens=1024,
        tools=tools,
        reasoning_effort="none",
        stream=True,
    ))


answer = ask()
print(f"\n<-- {answer!r}")

# common.parse.empty-arguments: A call without arguments ("", "{}", {}, missing, null where the wire allows)
#   parses to args == {} and is not dropped.
#   at:       (whole) in what the library makes of answer 1
#   expected: the turn that the provider sent
#   found:    complete raised ValueError: Unable to parse tool parameter JSON from model. Please retry your request or adjust your prompt. Error: EOF while parsing a value at line 1 column 1. JSON: n
#   harness:  conformance run env:any-llm --provider anthropic --scenario no_arguments.null_text --delivery stream:per-event --rule common.parse.empty-arguments
