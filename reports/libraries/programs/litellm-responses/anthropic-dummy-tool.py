# pip install litellm[mcp]==1.106.2

# handoff.retired_tool/blocking on anthropic, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import litellm

ANSWERS = [
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"model":"test-model","id":"msg_mbJPhjnfFB9XKnbVwTLsKoJM","type":"message","role":"assistan'
             b't","content":[{"type":"text","text":"Perhaps 8080."}],"stop_reason":"end_turn","stop_sequen'
             b'ce":null,"stop_details":null,"usage":{"input_tokens":11,"cache_creation_input_tokens":0,"ca'
             b'che_read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_inpu'
             b't_tokens":0},"output_tokens":7,"service_tier":"standard"}}'),
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

items = [
    {"role": "user", "content": "What is the port?"},
    {
        "type": "function_call",
        "call_id": "call_D2V5xeW5b4MShqU9RVFenats",
        "name": "read_file",
        "arguments": '{"absolute_path":"/srv/app/config.yaml"}',
    },
    {
        "type": "function_call_output",
        "call_id": "call_D2V5xeW5b4MShqU9RVFenats",
        "output": '{"error":"File not found: /srv/app/config.yaml"}',
    },
    {"role": "assistant", "content": "I cannot find out."},
    {"role": "user", "content": "Then guess."},
]


def ask():
    return litellm.responses(
        model="anthropic/claude-sonnet-4-5",
        input=items,
        max_output_tokens=1024,
        api_base=BASE_URL,
        api_key="test-key",
        max_retries=0,
    )


answer = ask()
print(f"\n<-- {answer!r}")

# common.declare.empty-tools-omitted: Without tools, the keys that say how tools may be called (tool_choice,
#   parallel_tool_calls, toolConfig) are omitted, and so is the tools key where an empty list is refused.
#   at:       /tools in request 1
#   expected: nothing: there are no tools
#   found:    [{"name": "dummy_tool", "input_schema": {"type": "object", "properties": {}}, "type": "custom", "description": "This is a dummy tool call"}]
#   harness:  conformance run env:litellm-responses --provider anthropic --scenario handoff.retired_tool --delivery blocking --rule common.declare.empty-tools-omitted
