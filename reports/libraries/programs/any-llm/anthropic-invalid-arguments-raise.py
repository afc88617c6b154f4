# pip install any-llm-sdk[anthropic]==1.40.2

# arguments.trailing_text/stream:per-event on anthropic, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from any_llm import AnyLLM
from any_llm.utils.streaming import accumulate_chunks

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

client = AnyLLM.create("anthropic", api_key="test-key", api_base=BASE_URL, max_retries=0)

messages = [{"role": "user", "content": "Show the date."}]
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
messages.append(accumulate_chunks(answer).choices[0].message.model_dump(exclude_none=True))
calls = messages[-1].get("tool_calls") or []
messages += [
    {
        "role": "tool",
        "tool_call_id": calls[0]["id"],
        "name": "run_shell_command",
        "content": '{"error":"The arguments were not valid JSON."}',
    },
]
answer = ask()
print(f"\n<-- {answer!r}")

# common.adapter.completes: Every operation that the adapter declares returns a value of the right type, within
#   the time limit and without raising.
#   at:       (whole) in what the library makes of answer 2
#   expected: a request from complete
#   found:    complete raised JSONDecodeError: Extra data: line 1 column 20 (char 19)
#   harness:  conformance run env:any-llm --provider anthropic --scenario arguments.trailing_text --delivery stream:per-event --rule common.adapter.completes
