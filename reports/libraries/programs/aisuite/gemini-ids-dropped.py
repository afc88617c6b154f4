# pip install aisuite[gemini,mcp]==0.2.0

# arguments.integral_floats/blocking on gemini, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import aisuite
from google.genai import types

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

options = types.HttpOptions(base_url=BASE_URL)
client = aisuite.Client({"gemini": {"api_key": "test-key", "http_options": options}})

messages = [{"role": "user", "content": "Show five lines."}]
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
        model="gemini:test-model",
        messages=messages,
        max_tokens=1024,
        tools=tools,
    )


answer = ask()
print(f"\n<-- {answer!r}")

# gemini.parse.function-call-parts: Calls are the functionCall of every part in candidates[0].content, wherever
#   it stands, each with its id and name.
#   at:       /calls/0/id in what the library makes of answer 1
#   expected: 8bszjmsz
#   found:    call_0
#   harness:  conformance run env:aisuite --provider gemini --scenario arguments.integral_floats --delivery blocking --rule gemini.parse.function-call-parts
