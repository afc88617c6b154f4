# pip install anthropic==2.12.0

# errors.cut_in_arguments/stream:per-event on anthropic, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import anthropic

ANSWERS = [
    (
        200,
        {"content-type": "text/event-stream; charset=utf-8"},
        [
            (b"event: message_start\n"
             b'data: {"type":"message_start","message":{"model":"test-model","id":"msg_34HfsZ2ydiuYWF3LMrf'
             b'vPkmw","type":"message","role":"assistant","content":[],"stop_reason":null,"stop_sequence":'
             b'null,"stop_details":null,"usage":{"input_tokens":11,"cache_creation_input_tokens":0,"cache_'
             b'read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_to'
             b'kens":0},"output_tokens":1,"service_tier":"standard"}}}\n\n'),
            (b"event: content_block_start\n"
             b'data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"tool'
             b'u_2gpNBxB26qsrkH49MgTQA4Xz","name":"run_shell_command","input":{}}}\n\n'),
            b'event: ping\ndata: {"type":"ping"}\n\n',
            (b"event: content_block_delta\n"
             b'data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_j'
             b'son":""}}\n\n'),
            (b"event: content_block_delta\n"
             b'data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_j'
             b'son":"{\\"command\\":\\"r"}}\n\n'),
            (b"event: content_block_delta\n"
             b'data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_j'
             b'son":"m -rf /srv/ap"}}\n\n'),
            (b"event: content_block_delta\n"
             b'data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_j'
             b'son":"p/build /srv/"}}\n\n'),
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

client = anthropic.Anthropic(api_key="test-key", base_url=BASE_URL, max_retries=0)

messages = [{"role": "user", "content": "Clean up."}]
tools = [
    {
        "name": "run_shell_command",
        "description": "Execute a shell command",
        "input_schema": {
            "type": "object",
            "properties": {
                "command": {"type": "string", "description": "The command line to run"},
                "directory": {"type": "string", "description": "Where to run it"},
                "description": {"type": "string", "description": "What it is for"},
            },
            "required": ["command"],
        },
    },
]


def ask():
    with client.messages.stream(model="test-model", max_tokens=1024, messages=messages, tools=tools) as events:
        return events.get_final_message()


answer = ask()
print(f"\n<-- {answer!r}")

# common.stream.truncated-stream-not-complete: A stream that ends without its terminal marker (connection cut)
#   is flagged incomplete, and the call that was cut is not understood as one that can be run.
#   at:       /calls/0 in what the library makes of answer 1
#   expected: a call that is marked invalid
#   found:    {"id": "toolu_2gpNBxB26qsrkH49MgTQA4Xz", "name": "run_shell_command", "arguments": {}, "invalid": false}
#   harness:  conformance run env:anthropic --provider anthropic --scenario errors.cut_in_arguments --delivery stream:per-event --rule common.stream.truncated-stream-not-complete
