# pip install aisuite[mcp,mistral]==0.2.0

# quirks.content_missing/blocking on mistral, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import aisuite

ANSWERS = [
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"id":"chatcmpl-weggdMyUQf9ha3t8bn3pg2VN","object":"chat.completion","created":1760000000,"'
             b'model":"test-model","choices":[{"index":0,"message":{"role":"assistant","tool_calls":[{"id"'
             b':"PaYQMAuZg","function":{"name":"read_file","arguments":"{\\"absolute_path\\":\\"/srv/a.txt'
             b'\\"}"},"index":0}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":11,"completion_'
             b'tokens":7,"total_tokens":18}}'),
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

client = aisuite.Client({"mistral": {"api_key": "test-key", "server_url": BASE_URL}})

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
        model="mistral:test-model",
        messages=messages,
        max_tokens=1024,
        tools=tools,
    )


answer = ask()
print(f"\n<-- {answer!r}")

# common.adapter.completes: Every operation that the adapter declares returns a value of the right type, within
#   the time limit and without raising.
#   at:       (whole) in what the library makes of answer 1
#   expected: a turn from complete
#   found:    complete raised LLMError: An error occurred: 'content'
#   harness:  conformance run env:aisuite --provider mistral --scenario quirks.content_missing --delivery blocking --rule common.adapter.completes
