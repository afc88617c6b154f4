# pip install aisuite[anthropic,mcp]==0.2.0

# quirks.finish_stop/blocking on anthropic, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import aisuite

ANSWERS = [
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"model":"test-model","id":"msg_LB5B3CPV3ky5Dt8HXpYFhHdN","type":"message","role":"assistan'
             b't","content":[{"type":"text","text":"I will."},{"type":"tool_use","id":"toolu_kPymUiTopofJ8'
             b'DQMGJSJeosa","name":"read_file","input":{"absolute_path":"/srv/a.txt"}}],"stop_reason":"end'
             b'_turn","stop_sequence":null,"stop_details":null,"usage":{"input_tokens":11,"cache_creation_'
             b'input_tokens":0,"cache_read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0'
             b',"ephemeral_1h_input_tokens":0},"output_tokens":7,"service_tier":"standard"}}'),
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

client = aisuite.Client({"anthropic": {"api_key": "test-key", "base_url": BASE_URL, "max_retries": 0}})

messages = [{"role": "user", "content": "Read a.txt."}]
tools = [
    {
        "type": "function",
        "function": {
            "name": "read_file",
            "description": "Read a file",
            "parameters": {
                "type": "object",
                "properties": {
                    "absolute_path": {"type": "string", "description": "The absolute path of the file"},
                    "offset": {"type": "integer", "description": "The first line to read"},
                    "limit": {"type": "integer", "description": "How many lines to read"},
                },
                "required": ["absolute_path"],
            },
        },
    },
]


def ask():
    return client.chat.completions.create(
        model="anthropic:test-model",
        messages=messages,
        max_tokens=1024,
        tools=tools,
    )


answer = ask()
print(f"\n<-- {answer!r}")

# anthropic.parse.stop-reasons: stop_reason mapping: tool_use->tool_calls, end_turn->end, stop_sequence->end,
#   max_tokens|model_context_window_exceeded->length (the input of a tool_use may be cut), pause_turn->pause,
#   refusal->refusal; unknown values are the end, and any but length and refusal are tool_calls where the
#   message has calls.
#   at:       /stop in what the library makes of answer 1
#   expected: tool_calls
#   found:    end
#   harness:  conformance run env:aisuite --provider anthropic --scenario quirks.finish_stop --delivery blocking --rule anthropic.parse.stop-reasons
