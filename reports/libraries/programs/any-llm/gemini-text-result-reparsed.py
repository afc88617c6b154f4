# pip install any-llm-sdk[gemini]==1.40.2

# multi_turn.system_prompt/blocking on gemini, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from any_llm import AnyLLM
from google.genai import types

ANSWERS = [
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"candidates":[{"content":{"parts":[{"functionCall":{"name":"run_shell_command","args":{"co'
             b'mmand":"who | wc -l"},"id":"9ngwhv5h"}}],"role":"model"},"finishReason":"STOP","index":0,"f'
             b'inishMessage":"Model generated function call(s)."}],"usageMetadata":{"promptTokenCount":11,'
             b'"candidatesTokenCount":7,"totalTokenCount":18},"modelVersion":"test-model","responseId":"T4'
             b'htoWHdfTbAiDfXqnB5Dm"}'),
        ],
    ),
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"candidates":[{"content":{"parts":[{"text":"Three users are logged in."}],"role":"model"},'
             b'"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":11,"candidatesTokenCo'
             b'unt":7,"totalTokenCount":18},"modelVersion":"test-model","responseId":"MgEhPMEMgfQvVjrX5nje'
             b'cp"}'),
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

messages = [
    {
        "role": "system",
        "content": ("You are a careful assistant. Answer in one sentence.\n"
         "Never run commands that delete files."),
    },
    {"role": "user", "content": "How many users are logged in?"},
]
tools = [
    {
        "type": "function",
        "function": {
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
        },
    },
]


def ask():
    return client.completion(
        model="gemini-3.1-pro-preview",
        messages=messages,
        max_tokens=1024,
        tools=tools,
        reasoning_effort="auto",
    )


answer = ask()
print(f"\n<-- {answer!r}")
messages.append(answer.choices[0].message)
calls = messages[-1].tool_calls or []
messages += [{"role": "tool", "tool_call_id": calls[0].id, "name": "run_shell_command", "content": "3\n"}]
answer = ask()
print(f"\n<-- {answer!r}")

# common.result.string-not-double-encoded: A plain string result is sent as that string, not JSON-quoted again.
#   at:       /contents/2/parts/0/functionResponse/response in request 2
#   expected: "3\n"
#   found:    "{\"result\":3}"
#   harness:  conformance run env:any-llm --provider gemini --scenario multi_turn.system_prompt --delivery blocking --rule common.result.string-not-double-encoded
