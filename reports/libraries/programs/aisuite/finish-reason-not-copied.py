# pip install aisuite[mcp,openai]==0.2.0

# errors.length_in_text/blocking on deepseek, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import aisuite
from aisuite.providers.deepseek_provider import DeepseekProvider

ANSWERS = [
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"id":"chatcmpl-XKSom7fJzLy7uDcBu6GWUbFc","object":"chat.completion","created":1760000000,"'
             b'model":"test-model","choices":[{"index":0,"message":{"role":"assistant","content":"TCP is a'
             b' reliable, ordered and error-checked"},"logprobs":null,"finish_reason":"length"}],"usage":{'
             b'"prompt_tokens":11,"completion_tokens":7,"total_tokens":18}}'),
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

client = aisuite.Client()
client.providers["deepseek"] = DeepseekProvider(api_key="test-key", max_retries=0)
client.providers["deepseek"].client.base_url = BASE_URL  # the library has a fixed one

messages = [{"role": "user", "content": "Tell me everything about TCP."}]
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
        model="deepseek:test-model",
        messages=messages,
        max_tokens=1024,
        tools=tools,
        extra_body={"thinking": {"type": "disabled"}},
    )


answer = ask()
print(f"\n<-- {answer!r}")

# common.parse.stop-reason: Why an answer without calls ended is told as it was - by itself, at the token limit,
#   by a refusal, for a pause.
#   at:       /stop in what the library makes of answer 1
#   expected: length
#   found:    end
#   harness:  conformance run env:aisuite --provider deepseek --scenario errors.length_in_text --delivery blocking --rule common.parse.stop-reason
