# pip install litellm[mcp]==1.106.2

# arguments.integral_floats/blocking on gemini, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import litellm

ANSWERS = [
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"candidates":[{"content":{"parts":[{"functionCall":{"name":"read_file","args":{"absolute_p'
             b'ath":"/srv/app/main.py","offset":0.0,"limit":5.0},"id":"8bszjmsz"}}],"role":"model"},"finis'
             b'hReason":"STOP","index":0,"finishMessage":"Model generated function call(s)."}],"usageMetad'
             b'ata":{"promptTokenCount":11,"candidatesTokenCount":7,"totalTokenCount":18},"modelVersion":"'
             b'test-model","responseId":"LrycGf7dKYDjNe7VvZUQKg"}'),
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

items = [{"role": "user", "content": "Show five lines."}]
tools = [
    {
        "type": "function",
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
        "strict": False,
    },
]


def ask():
    return litellm.responses(
        model="gemini/gemini-3.1-pro-preview",
        input=items,
        max_output_tokens=1024,
        tools=tools,
        api_base=BASE_URL + "/v1beta",
        api_key="test-key",
        max_retries=0,
    )


answer = ask()
print(f"\n<-- {answer!r}")

# gemini.parse.numbers-are-doubles: args are a protobuf Struct, whose numbers are doubles: a whole number that
#   arrives as 5.0 is an integer where the tool's schema says integer.
#   at:       /calls/0/arguments/offset in what the library makes of answer 1
#   expected: 0
#   found:    0.0
#   harness:  conformance run env:litellm-responses --provider gemini --scenario arguments.integral_floats --delivery blocking --rule gemini.parse.numbers-are-doubles
