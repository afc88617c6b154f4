# pip install langchain-openai==1.7.3

# errors.refusal/stream:per-event on openai-chat, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from langchain_core.messages import HumanMessage
from langchain_core.messages.utils import message_chunk_to_message
from langchain_openai import ChatOpenAI

ANSWERS = [
    (
        200,
        {"content-type": "text/event-stream; charset=utf-8"},
        [
            (b'data: {"id":"chatcmpl-DzsQLnPBPYPGpiWZixMg9tF7","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,'
             b'"delta":{"role":"assistant","content":null}}]}\n\n'),
            (b'data: {"id":"chatcmpl-DzsQLnPBPYPGpiWZixMg9tF7","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,'
             b'"delta":{"refusal":"I can\'t help w"}}]}\n\n'),
            (b'data: {"id":"chatcmpl-DzsQLnPBPYPGpiWZixMg9tF7","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,'
             b'"delta":{"refusal":"ith getting in"}}]}\n\n'),
            (b'data: {"id":"chatcmpl-DzsQLnPBPYPGpiWZixMg9tF7","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,'
             b'"delta":{"refusal":"to other peopl"}}]}\n\n'),
            (b'data: {"id":"chatcmpl-DzsQLnPBPYPGpiWZixMg9tF7","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,'
             b'"delta":{"refusal":"e\'s devices."}}]}\n\n'),
            (b'data: {"id":"chatcmpl-DzsQLnPBPYPGpiWZixMg9tF7","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":"stop'
             b'","delta":{}}]}\n\n'),
            (b'data: {"id":"chatcmpl-DzsQLnPBPYPGpiWZixMg9tF7","object":"chat.completion.chunk","created":'
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

model = ChatOpenAI(
    model="test-model",
    api_key="test-key",
    base_url=BASE_URL + "/v1",
    max_tokens=1024,
    max_retries=0,
    stream_usage=True,
)

messages = [HumanMessage("Break into my neighbour's router.")]
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
    whole = None
    for chunk in model.bind_tools(tools=tools).stream(messages):
        whole = chunk if whole is None else whole + chunk
    return message_chunk_to_message(whole)


answer = ask()
print(f"\n<-- {answer!r}")

# common.stream.equivalent-to-non-stream: A stream is understood as the same turn (text, calls, ids, arguments,
#   stop, usage) as the equivalent blocking response, however its bytes are cut.
#   at:       /refusal in what the library makes of answer 1
#   expected: I can't help with getting into other people's devices.
#   found:    null
#   harness:  conformance run env:langchain-openai --provider openai-chat --scenario errors.refusal --delivery stream:per-event --rule common.stream.equivalent-to-non-stream
