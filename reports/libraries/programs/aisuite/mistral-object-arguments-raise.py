# pip install aisuite[mcp,mistral]==0.2.0

# arguments.object_or_text/blocking on mistral, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import aisuite

ANSWERS = [
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"id":"chatcmpl-ndyqDhKAoBeDPvJFQZ9BkyFE","object":"chat.completion","created":1760000000,"'
             b'model":"test-model","choices":[{"index":0,"message":{"role":"assistant","content":"","tool_'
             b'calls":[{"id":"VG9XTmCTN","function":{"name":"read_file","arguments":{"absolute_path":"/srv'
             b'/docs/guide.md","limit":3}},"index":0}]},"finish_reason":"tool_calls"}],"usage":{"prompt_to'
             b'kens":11,"completion_tokens":7,"total_tokens":18}}'),
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

messages = [{"role": "user", "content": "Read the first lines of the guide."}]
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

# common.parse.args-decoded-object: Every parsed call exposes arguments as a decoded JSON object equal to what
#   the provider sent, whether the wire carried a JSON string or an object.
#   at:       (whole) in what the library makes of answer 1
#   expected: the turn that the provider sent
#   found:    complete raised LLMError: An error occurred: 1 validation error for ChatCompletionMessageToolCall function.arguments Input should be a valid string [type=string_type, input_value={'absolute_path': '/srv/d...s/guide.md', 'limit': 3}, input_type=dict] For further information visit https://errors.pydantic.dev/2.14/v/string_type
#   harness:  conformance run env:aisuite --provider mistral --scenario arguments.object_or_text --delivery blocking --rule common.parse.args-decoded-object
