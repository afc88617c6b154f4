# pip install any-llm-sdk[anthropic]==1.40.2

# declare.strict_schema/blocking on anthropic, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from any_llm import AnyLLM

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

client = AnyLLM.create("anthropic", api_key="test-key", api_base=BASE_URL, max_retries=0)

messages = [{"role": "user", "content": "Wake me at six."}]
tools = [
    {
        "type": "function",
        "function": {
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
    },
]


def ask():
    return client.completion(
        model="test-model",
        messages=messages,
        max_tokens=1024,
        tools=tools,
        reasoning_effort="none",
    )


answer = ask()
print(f"\n<-- {answer!r}")

# common.declare.strict-as-asked: A tool that the application declares as strict, or as not strict, is sent as
#   such.
#   at:       /tools/0 in request 1
#   expected: {"strict": true}
#   found:    {"strict": null}
#   harness:  conformance run env:any-llm --provider anthropic --scenario declare.strict_schema --delivery blocking --rule common.declare.strict-as-asked
