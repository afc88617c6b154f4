# pip install litellm[mcp]==1.106.2

# declare.strict_schema/blocking on anthropic, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import litellm

ANSWERS = [
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"model":"test-model","id":"msg_uCPuqB5XoPaVU5tgbSJMTDaM","type":"message","role":"assistan'
             b't","content":[{"type":"tool_use","id":"toolu_F6X8fRprXCgaYiHQNPVrMDDB","name":"set_alarm","'
             b'input":{"time":"06:00","label":null}}],"stop_reason":"tool_use","stop_sequence":null,"stop_'
             b'details":null,"usage":{"input_tokens":11,"cache_creation_input_tokens":0,"cache_read_input_'
             b'tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0},"o'
             b'utput_tokens":7,"service_tier":"standard"}}'),
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

items = [{"role": "user", "content": "Wake me at six."}]
tools = [
    {
        "type": "function",
        "name": "set_alarm",
        "description": "Set an alarm",
        "parameters": {
            "type": "object",
            "properties": {"time": {"type": "string"}, "label": {"type": ["string", "null"]}},
            "required": ["time", "label"],
            "additionalProperties": False,
        },
        "strict": True,
    },
]


def ask():
    return litellm.responses(
        model="anthropic/claude-sonnet-4-5",
        input=items,
        max_output_tokens=1024,
        tools=tools,
        api_base=BASE_URL,
        api_key="test-key",
        max_retries=0,
    )


answer = ask()
print(f"\n<-- {answer!r}")

# common.declare.strict-as-asked: A tool that the application declares as strict, or as not strict, is sent as
#   such.
#   at:       /tools/0 in request 1
#   expected: {"strict": true}
#   found:    {"strict": null}
#   harness:  conformance run env:litellm-responses --provider anthropic --scenario declare.strict_schema --delivery blocking --rule common.declare.strict-as-asked
