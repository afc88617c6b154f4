# pip install any-llm-sdk[gemini]==1.40.2

# errors.unknown_finish_beside_call/stream:per-event on gemini, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from any_llm import AnyLLM
from google.genai import types

ANSWERS = [
    (
        200,
        {"content-type": "text/event-stream; charset=utf-8"},
        [
            (b'data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"read_file","args":{"abso'
             b'lute_path":"/srv/a.txt"},"id":"ptznromp"}}],"role":"model"},"index":0}],"usageMetadata":{"p'
             b'romptTokenCount":11,"totalTokenCount":11},"modelVersion":"test-model","responseId":"F4Z7pCk'
             b'3FGPMrEvmRkG6FB"}\n\n'),
            (b'data: {"candidates":[{"content":{"parts":[{"text":""}],"role":"model"},"finishReason":"x_ne'
             b'w_reason","index":0,"finishMessage":"Model generated function call(s)."}],"usageMetadata":{'
             b'"promptTokenCount":11,"candidatesTokenCount":7,"totalTokenCount":18},"modelVersion":"test-m'
             b'odel","responseId":"F4Z7pCk3FGPMrEvmRkG6FB"}\n\n'),
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

client = AnyLLM.create("gemini", api_key="test-key", http_options=types.HttpOptions(base_url=BASE_URL))

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
    return list(client.completion(
        model="gemini-3.1-pro-preview",
        messages=messages,
        max_tokens=1024,
        tools=tools,
        reasoning_effort="auto",
        stream=True,
    ))


answer = ask()
print(f"\n<-- {answer!r}")

# common.stream.equivalent-to-non-stream: A stream is understood as the same turn (text, calls, ids, arguments,
#   stop, usage) as the equivalent blocking response, however its bytes are cut.
#   at:       /stop in what the library makes of answer 1
#   expected: tool_calls
#   found:    incomplete
#   harness:  conformance run env:any-llm --provider gemini --scenario errors.unknown_finish_beside_call --delivery stream:per-event --rule common.stream.equivalent-to-non-stream
