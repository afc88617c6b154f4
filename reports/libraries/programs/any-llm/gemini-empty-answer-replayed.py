# pip install any-llm-sdk[gemini]==1.40.2

# multi_turn.empty_answer/stream:per-event on gemini, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from any_llm import AnyLLM
from any_llm.utils.streaming import accumulate_chunks
from google.genai import types

ANSWERS = [
    (
        200,
        {"content-type": "text/event-stream; charset=utf-8"},
        [
            (b'data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"write_file","args":{"fil'
             b'e_path":"/srv/app/list.json","content":"[]"},"id":"loagnfna"}}],"role":"model"},"index":0}]'
             b',"usageMetadata":{"promptTokenCount":11,"totalTokenCount":11},"modelVersion":"test-model","'
             b'responseId":"oGVzNx5iDumJxytPR8uUA4"}\n\n'),
            (b'data: {"candidates":[{"content":{"parts":[{"text":""}],"role":"model"},"finishReason":"STOP'
             b'","index":0,"finishMessage":"Model generated function call(s)."}],"usageMetadata":{"promptT'
             b'okenCount":11,"candidatesTokenCount":7,"totalTokenCount":18},"modelVersion":"test-model","r'
             b'esponseId":"oGVzNx5iDumJxytPR8uUA4"}\n\n'),
        ],
    ),
    (
        200,
        {"content-type": "text/event-stream; charset=utf-8"},
        [
            (b'data: {"candidates":[{"content":{"role":"model","parts":[{"text":""}]},"finishReason":"STOP'
             b'","index":0}],"usageMetadata":{"promptTokenCount":11,"candidatesTokenCount":7,"totalTokenCo'
             b'unt":18},"modelVersion":"test-model","responseId":"nkRQaa5JQZcKhQzEUUTXNj"}\n\n'),
        ],
    ),
    (
        200,
        {"content-type": "text/event-stream; charset=utf-8"},
        [
            (b'data: {"candidates":[{"content":{"parts":[{"text":"Yes, the "}],"role":"model"},"index":0}]'
             b',"usageMetadata":{"promptTokenCount":11,"totalTokenCount":11},"modelVersion":"test-model","'
             b'responseId":"awoSouaPsgAENbjuXmb5RX"}\n\n'),
            (b'data: {"candidates":[{"content":{"parts":[{"text":"file hold"}],"role":"model"},"index":0}]'
             b',"usageMetadata":{"promptTokenCount":11,"totalTokenCount":11},"modelVersion":"test-model","'
             b'responseId":"awoSouaPsgAENbjuXmb5RX"}\n\n'),
            (b'data: {"candidates":[{"content":{"parts":[{"text":"s an empt"}],"role":"model"},"index":0}]'
             b',"usageMetadata":{"promptTokenCount":11,"totalTokenCount":11},"modelVersion":"test-model","'
             b'responseId":"awoSouaPsgAENbjuXmb5RX"}\n\n'),
            (b'data: {"candidates":[{"content":{"parts":[{"text":"y list."}],"role":"model"},"index":0}],"'
             b'usageMetadata":{"promptTokenCount":11,"totalTokenCount":11},"modelVersion":"test-model","re'
             b'sponseId":"awoSouaPsgAENbjuXmb5RX"}\n\n'),
            (b'data: {"candidates":[{"content":{"parts":[{"text":""}],"role":"model"},"finishReason":"STOP'
             b'","index":0}],"usageMetadata":{"promptTokenCount":11,"candidatesTokenCount":7,"totalTokenCo'
             b'unt":18},"modelVersion":"test-model","responseId":"awoSouaPsgAENbjuXmb5RX"}\n\n'),
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

messages = [{"role": "user", "content": "Save an empty list."}]
tools = [
    {
        "type": "function",
        "function": {
            "name": "write_file",
            "description": "Write a file",
            "parameters": {
                "type": "object",
                "properties": {
                    "file_path": {"type": "string", "description": "The absolute path of the file"},
                    "content": {"type": "string", "description": "What to write"},
                },
                "required": ["file_path", "content"],
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
messages.append(accumulate_chunks(answer).choices[0].message.model_dump(exclude_none=True))
calls = messages[-1].get("tool_calls") or []
messages += [
    {
        "role": "tool",
        "tool_call_id": calls[0]["id"],
        "name": "write_file",
        "content": "Wrote 2 bytes to /srv/app/list.json",
    },
]
answer = ask()
print(f"\n<-- {answer!r}")
messages.append(accumulate_chunks(answer).choices[0].message.model_dump(exclude_none=True))
messages += [{"role": "user", "content": "Did it work?"}]
answer = ask()
print(f"\n<-- {answer!r}")

# gemini.history.contents-container: The conversation is contents[] with parts[]: no messages, input, prompt or
#   content; every content has a part, and no part has two data fields.
#   at:       /contents/3/parts/0 in request 3
#   expected: a part such as {text: ...}
#   found:    {}
#   harness:  conformance run env:any-llm --provider gemini --scenario multi_turn.empty_answer --delivery stream:per-event --rule gemini.history.contents-container
