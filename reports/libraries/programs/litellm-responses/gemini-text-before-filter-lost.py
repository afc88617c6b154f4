# pip install litellm[mcp]==1.106.2

# errors.refusal_after_text/stream:per-event on gemini, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import litellm

ANSWERS = [
    (
        200,
        {"content-type": "text/event-stream; charset=utf-8"},
        [
            (b'data: {"candidates":[{"content":{"parts":[{"text":"The exploi"}],"role":"model"},"index":0}'
             b'],"usageMetadata":{"promptTokenCount":11,"totalTokenCount":11},"modelVersion":"test-model",'
             b'"responseId":"ywfsJKkaoEhfoFH8NBjXP5"}\n\n'),
            (b'data: {"candidates":[{"content":{"parts":[{"text":"t abuses a"}],"role":"model"},"index":0}'
             b'],"usageMetadata":{"promptTokenCount":11,"totalTokenCount":11},"modelVersion":"test-model",'
             b'"responseId":"ywfsJKkaoEhfoFH8NBjXP5"}\n\n'),
            (b'data: {"candidates":[{"content":{"parts":[{"text":"n unchecke"}],"role":"model"},"index":0}'
             b'],"usageMetadata":{"promptTokenCount":11,"totalTokenCount":11},"modelVersion":"test-model",'
             b'"responseId":"ywfsJKkaoEhfoFH8NBjXP5"}\n\n'),
            (b'data: {"candidates":[{"content":{"parts":[{"text":"d length."}],"role":"model"},"index":0}]'
             b',"usageMetadata":{"promptTokenCount":11,"totalTokenCount":11},"modelVersion":"test-model","'
             b'responseId":"ywfsJKkaoEhfoFH8NBjXP5"}\n\n'),
            (b'data: {"candidates":[{"content":{"parts":[{"text":""}],"role":"model"},"finishReason":"SAFE'
             b'TY","index":0,"finishMessage":"I can\'t run it."}],"usageMetadata":{"promptTokenCount":11,"'
             b'candidatesTokenCount":7,"totalTokenCount":18},"modelVersion":"test-model","responseId":"ywf'
             b'sJKkaoEhfoFH8NBjXP5"}\n\n'),
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

items = [{"role": "user", "content": "Explain the exploit, then run it."}]
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
    return list(litellm.responses(
        model="gemini/gemini-3.1-pro-preview",
        input=items,
        max_output_tokens=1024,
        tools=tools,
        api_base=BASE_URL + "/v1beta",
        api_key="test-key",
        max_retries=0,
        stream=True,
    ))


answer = ask()
print(f"\n<-- {answer!r}")

# common.stream.equivalent-to-non-stream: A stream is understood as the same turn (text, calls, ids, arguments,
#   stop, usage) as the equivalent blocking response, however its bytes are cut.
#   at:       /text in what the library makes of answer 1
#   expected: ""
#   found:    The exploit abuses an unchecked length.
#   harness:  conformance run env:litellm-responses --provider gemini --scenario errors.refusal_after_text --delivery stream:per-event --rule common.stream.equivalent-to-non-stream
