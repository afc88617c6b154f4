# pip install litellm[mcp]==1.106.2

# no_arguments.missing/blocking on gemini, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import litellm

ANSWERS = [
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"candidates":[{"content":{"parts":[{"functionCall":{"name":"git_status","id":"3k3tjvwn"}}]'
             b',"role":"model"},"finishReason":"STOP","index":0,"finishMessage":"Model generated function '
             b'call(s)."}],"usageMetadata":{"promptTokenCount":11,"candidatesTokenCount":7,"totalTokenCoun'
             b't":18},"modelVersion":"test-model","responseId":"YMipHNQDQAU6FtdGq8ggDN"}'),
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

items = [{"role": "user", "content": "Is the tree clean?"}]
tools = [
    {
        "type": "function",
        "name": "git_status",
        "description": "Show the state of the working tree",
        "parameters": {
            "type": "object",
            "properties": {"path": {"type": "string", "description": "Only below this path"}},
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

# common.parse.empty-arguments: A call without arguments ("", "{}", {}, missing, null where the wire allows)
#   parses to args == {} and is not dropped.
#   at:       /calls in what the library makes of answer 1
#   expected: a call of git_status
#   found:    no such call
#   harness:  conformance run env:litellm-responses --provider gemini --scenario no_arguments.missing --delivery blocking --rule common.parse.empty-arguments
