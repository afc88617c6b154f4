# pip install litellm[proxy]==1.106.2

# errors.overloaded/blocking on anthropic, without the harness: this program is the provider, too.

import asyncio
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import litellm

ANSWERS = [
    (
        529,
        {
            "content-type": "application/json",
            "request-id": "req_QhqQsdtxrLYWFSMzfmdc7qad",
            "x-should-retry": "true",
        },
        [
            (b'{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"re'
             b'q_QhqQsdtxrLYWFSMzfmdc7qad"}'),
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

loop = asyncio.new_event_loop()  # for all calls, because connections are kept for one

messages = [{"role": "user", "content": "Read a.txt."}]
tools = [
    {
        "name": "read_file",
        "description": "Read a file",
        "input_schema": {
            "type": "object",
            "properties": {
                "absolute_path": {"type": "string", "description": "The absolute path of the file"},
                "offset": {"type": "integer", "description": "The first line to read"},
                "limit": {"type": "integer", "description": "How many lines to read"},
            },
            "required": ["absolute_path"],
        },
    },
]


def ask():
    return loop.run_until_complete(litellm.anthropic.messages.acreate(
        model="anthropic/claude-sonnet-4-5",
        max_tokens=1024,
        messages=messages,
        tools=tools,
        api_base=BASE_URL,
        api_key="test-key",
        max_retries=0,
    ))


try:
    answer = ask()
    print(f"\n<-- {answer!r}")
except Exception as problem:
    print(f"\n<-- {problem!r}\n    {vars(problem)}")

# anthropic.error.body-shape: Errors are read from {type:"error",error:{type,message},request_id?}: message,
#   type and HTTP status are kept; 529 = overloaded_error, 429 = rate_limit_error, 401 = authentication_error,
#   413 = request_too_large.
#   at:       /error/status in what the library makes of answer 1
#   expected: 529
#   found:    500
#   harness:  conformance run env:litellm-messages --provider anthropic --scenario errors.overloaded --delivery blocking --rule anthropic.error.body-shape
