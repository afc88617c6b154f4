# pip install litellm[mcp]==1.106.2

# errors.malformed_function_call/blocking on gemini, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import litellm

ANSWERS = [
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL","index":0,"finishMessage":"Malform'
             b'ed function call: print(default_api."}],"usageMetadata":{"promptTokenCount":11,"candidatesT'
             b'okenCount":7,"totalTokenCount":18},"modelVersion":"test-model","responseId":"j2zLVZictwCQ9H'
             b'5fiaa3AT"}'),
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

items = [{"role": "user", "content": "Show the date."}]
tools = [
    {
        "type": "function",
        "name": "run_shell_command",
        "description": "Execute a shell command",
        "parameters": {
            "type": "object",
            "properties": {
                "command": {"type": "string", "description": "The command line to run"},
                "directory": {"type": "string", "description": "Where to run it"},
                "description": {"type": "string", "description": "What it is for"},
            },
            "required": ["command"],
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


try:
    answer = ask()
    print(f"\n<-- {answer!r}")
except Exception as problem:
    print(f"\n<-- {problem!r}\n    {vars(problem)}")

# common.error.retryable-classified: HTTP/stream errors are classified: 408/409/429/5xx/529 (and stream
#   overloaded_error) retryable, other 4xx not; retry-after honoured.
#   at:       /error in what the library makes of answer 1
#   expected: Malformed function call: print(default_api.
#   found:    null
#   harness:  conformance run env:litellm-responses --provider gemini --scenario errors.malformed_function_call --delivery blocking --rule common.error.retryable-classified
