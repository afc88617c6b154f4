# pip install litellm[proxy]==1.106.2

# handoff.retired_tool/blocking on gemini, without the harness: this program is the provider, too.

import asyncio
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import litellm

ANSWERS = [
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"candidates":[{"content":{"parts":[{"text":"Perhaps 8080."}],"role":"model"},"finishReason'
             b'":"STOP","index":0}],"usageMetadata":{"promptTokenCount":11,"candidatesTokenCount":7,"total'
             b'TokenCount":18},"modelVersion":"test-model","responseId":"mbJPhjnfFB9XKnbVwTLsKo"}'),
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

messages = [
    {"role": "user", "content": "What is the port?"},
    {
        "role": "assistant",
        "content": [
            {
                "type": "tool_use",
                "id": "call_D2V5xeW5b4MShqU9RVFenats",
                "name": "read_file",
                "input": {"absolute_path": "/srv/app/config.yaml"},
            },
        ],
    },
    {
        "role": "user",
        "content": [
            {
                "type": "tool_result",
                "tool_use_id": "call_D2V5xeW5b4MShqU9RVFenats",
                "content": "File not found: /srv/app/config.yaml",
                "is_error": True,
            },
        ],
    },
    {"role": "assistant", "content": [{"type": "text", "text": "I cannot find out."}]},
    {"role": "user", "content": "Then guess."},
]


def ask():
    return loop.run_until_complete(litellm.anthropic.messages.acreate(
        model="gemini/gemini-3.1-pro-preview",
        max_tokens=1024,
        messages=messages,
        api_base=BASE_URL + "/v1beta",
        api_key="test-key",
        max_retries=0,
    ))


answer = ask()
print(f"\n<-- {answer!r}")

# common.result.error-visible-to-model: A failed tool is reported to the model: error text always present;
#   native flag where it exists (anthropic is_error, gemini response.error).
#   at:       /contents/2/parts/0/function_response in request 1
#   expected: a result that is marked as an error
#   found:    no mark
#   harness:  conformance run env:litellm-messages --provider gemini --scenario handoff.retired_tool --delivery blocking --rule common.result.error-visible-to-model
