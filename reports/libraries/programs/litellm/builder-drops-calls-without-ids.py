# pip install litellm[mcp]==1.106.2

# quirks.missing_ids/stream:per-event on openai-chat, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import litellm

ANSWERS = [
    (
        200,
        {"content-type": "text/event-stream; charset=utf-8"},
        [
            (b'data: {"id":"chatcmpl-MDDMqDDS9TYVjwJ6pmLSjw9Z","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,'
             b'"delta":{"role":"assistant","content":null}}]}\n\n'),
            (b'data: {"id":"chatcmpl-MDDMqDDS9TYVjwJ6pmLSjw9Z","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,'
             b'"delta":{"tool_calls":[{"index":0,"type":"function","function":{"name":"read_file","argumen'
             b'ts":""}}]}}]}\n\n'),
            (b'data: {"id":"chatcmpl-MDDMqDDS9TYVjwJ6pmLSjw9Z","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,'
             b'"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\\"absolu"}}]}}]}\n\n'),
            (b'data: {"id":"chatcmpl-MDDMqDDS9TYVjwJ6pmLSjw9Z","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,'
             b'"delta":{"tool_calls":[{"index":0,"function":{"arguments":"te_path\\""}}]}}]}\n\n'),
            (b'data: {"id":"chatcmpl-MDDMqDDS9TYVjwJ6pmLSjw9Z","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,'
             b'"delta":{"tool_calls":[{"index":0,"function":{"arguments":":\\"/srv/a"}}]}}]}\n\n'),
            (b'data: {"id":"chatcmpl-MDDMqDDS9TYVjwJ6pmLSjw9Z","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,'
             b'"delta":{"tool_calls":[{"index":0,"function":{"arguments":".txt\\"}"}}]}}]}\n\n'),
            (b'data: {"id":"chatcmpl-MDDMqDDS9TYVjwJ6pmLSjw9Z","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":"tool'
             b'_calls","delta":{}}]}\n\n'),
            (b'data: {"id":"chatcmpl-MDDMqDDS9TYVjwJ6pmLSjw9Z","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[],"usage":{"prompt_tokens":11,"completion_tokens'
             b'":7,"total_tokens":18}}\n\n'),
            b"data: [DONE]\n\n",
        ],
    ),
    (
        200,
        {"content-type": "text/event-stream; charset=utf-8"},
        [
            (b'data: {"id":"chatcmpl-dtAzb8bxc5jc58BEi7J7BJbw","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,'
             b'"delta":{"role":"assistant","content":""}}]}\n\n'),
            (b'data: {"id":"chatcmpl-dtAzb8bxc5jc58BEi7J7BJbw","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,'
             b'"delta":{"content":"It s"}}]}\n\n'),
            (b'data: {"id":"chatcmpl-dtAzb8bxc5jc58BEi7J7BJbw","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,'
             b'"delta":{"content":"ays "}}]}\n\n'),
            (b'data: {"id":"chatcmpl-dtAzb8bxc5jc58BEi7J7BJbw","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,'
             b'"delta":{"content":"hell"}}]}\n\n'),
            (b'data: {"id":"chatcmpl-dtAzb8bxc5jc58BEi7J7BJbw","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,'
             b'"delta":{"content":"o."}}]}\n\n'),
            (b'data: {"id":"chatcmpl-dtAzb8bxc5jc58BEi7J7BJbw","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":"stop'
             b'","delta":{}}]}\n\n'),
            (b'data: {"id":"chatcmpl-dtAzb8bxc5jc58BEi7J7BJbw","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[],"usage":{"prompt_tokens":11,"completion_tokens'
             b'":7,"total_tokens":18}}\n\n'),
            b"data: [DONE]\n\n",
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
    chunks = litellm.completion(
        model="openai/gpt-4.1",
        messages=messages,
        max_tokens=1024,
        tools=tools,
        api_base=BASE_URL + "/v1",
        api_key="test-key",
        max_retries=0,
        stream=True,
        stream_options={"include_usage": True},
    )
    return litellm.stream_chunk_builder(list(chunks))


answer = ask()
print(f"\n<-- {answer!r}")
messages.append(answer.choices[0].message)
calls = messages[-1].tool_calls or []
ids = ["own000000"]  # the provider gave none that can be used
for place, call in enumerate(calls):
    call.id = ids[place] = call.id or ids[place]
messages += [{"role": "tool", "tool_call_id": ids[0], "name": "read_file", "content": "hello"}]
answer = ask()
print(f"\n<-- {answer!r}")

# common.result.no-orphan: No result is sent whose call is absent from the history that is sent (e.g. after
#   truncation/compaction).
#   at:       /messages/2/tool_call_id in request 2
#   expected: the id of a call in this request
#   found:    own000000
#             (own… is an id of the application's own, for a call that comes without one)
#   harness:  conformance run env:litellm --provider openai-chat --scenario quirks.missing_ids --delivery stream:per-event --rule common.result.no-orphan
