# pip install litellm[mcp]==1.106.2

# errors.overloaded/blocking on openai-responses, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import litellm

ANSWERS = [
    (
        503,
        {"content-type": "application/json"},
        [b'{"error":{"message":"Overloaded","type":"server_error","param":null,"code":null}}'],
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

items = [{"role": "user", "content": "Read a.txt."}]
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
        model="openai/gpt-5",
        input=items,
        max_output_tokens=1024,
        tools=tools,
        api_base=BASE_URL + "/v1",
        api_key="test-key",
        max_retries=0,
    )


try:
    answer = ask()
    print(f"\n<-- {answer!r}")
except Exception as problem:
    print(f"\n<-- {problem!r}\n    {vars(problem)}")

# responses.error.body-shape: HTTP errors are read from {error:{message,type,param,code}}, of which all but the
#   message may be null.
#   at:       /error/type in what the library makes of answer 1
#   expected: server_error
#   found:    null
#   harness:  conformance run env:litellm-responses --provider openai-responses --scenario errors.overloaded --delivery blocking --rule responses.error.body-shape
