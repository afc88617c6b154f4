# pip install openai==3.54.0

# quirks.no_finish/stream:per-event on openai-chat, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import openai
from openai.lib.streaming.chat import ChatCompletionStreamState

ANSWERS = [
    (
        200,
        {"content-type": "text/event-stream; charset=utf-8"},
        [
            (b'data: {"id":"chatcmpl-Aef5yNjnWatGYkJzKtZsgYzK","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,'
             b'"delta":{"role":"assistant","content":null}}]}\n\n'),
            (b'data: {"id":"chatcmpl-Aef5yNjnWatGYkJzKtZsgYzK","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,'
             b'"delta":{"tool_calls":[{"index":0,"id":"call_tmwdS7Nz4caVghhWYL8W9dJd","type":"function","f'
             b'unction":{"name":"read_file","arguments":""}}]}}]}\n\n'),
            (b'data: {"id":"chatcmpl-Aef5yNjnWatGYkJzKtZsgYzK","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,'
             b'"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\\"absolu"}}]}}]}\n\n'),
            (b'data: {"id":"chatcmpl-Aef5yNjnWatGYkJzKtZsgYzK","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,'
             b'"delta":{"tool_calls":[{"index":0,"function":{"arguments":"te_path\\""}}]}}]}\n\n'),
            (b'data: {"id":"chatcmpl-Aef5yNjnWatGYkJzKtZsgYzK","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,'
             b'"delta":{"tool_calls":[{"index":0,"function":{"arguments":":\\"/srv/a"}}]}}]}\n\n'),
            (b'data: {"id":"chatcmpl-Aef5yNjnWatGYkJzKtZsgYzK","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,'
             b'"delta":{"tool_calls":[{"index":0,"function":{"arguments":".txt\\"}"}}]}}]}\n\n'),
            (b'data: {"id":"chatcmpl-Aef5yNjnWatGYkJzKtZsgYzK","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,'
             b'"delta":{}}]}\n\n'),
            (b'data: {"id":"chatcmpl-Aef5yNjnWatGYkJzKtZsgYzK","object":"chat.completion.chunk","created":'
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

client = openai.OpenAI(api_key="test-key", base_url=BASE_URL + "/v1", max_retries=0)

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
    state = ChatCompletionStreamState()
    for chunk in client.chat.completions.create(
        model="test-model",
        messages=messages,
        max_completion_tokens=1024,
        tools=tools,
        stream=True,
        stream_options={"include_usage": True},
    ):
        state.handle_chunk(chunk)
    return state.current_completion_snapshot


answer = ask()
print(f"\n<-- {answer!r}")

# common.stream.equivalent-to-non-stream: A stream is understood as the same turn (text, calls, ids, arguments,
#   stop, usage) as the equivalent blocking response, however its bytes are cut.
#   at:       /stop in what the library makes of answer 1
#   expected: tool_calls
#   found:    incomplete
#   harness:  conformance run env:openai --provider openai-chat --scenario quirks.no_finish --delivery stream:per-event --rule common.stream.equivalent-to-non-stream
