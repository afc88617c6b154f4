# pip install litellm[proxy]==1.106.2

# errors.refusal/stream:per-event on azure, without the harness: this program is the provider, too.

import asyncio
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import litellm

ANSWERS = [
    (
        200,
        {"content-type": "text/event-stream; charset=utf-8"},
        [
            (b'data: {"id":"","object":"","created":0,"model":"","choices":[],"prompt_filter_results":[{"p'
             b'rompt_index":0,"content_filter_results":{"hate":{"filtered":false,"severity":"safe"},"self_'
             b'harm":{"filtered":false,"severity":"safe"},"sexual":{"filtered":false,"severity":"safe"},"v'
             b'iolence":{"filtered":false,"severity":"safe"}}}]}\n\n'),
            (b'data: {"id":"chatcmpl-DzsQLnPBPYPGpiWZixMg9tF7","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,'
             b'"content_filter_results":{"hate":{"filtered":false,"severity":"safe"},"self_harm":{"filtere'
             b'd":false,"severity":"safe"},"sexual":{"filtered":false,"severity":"safe"},"violence":{"filt'
             b'ered":false,"severity":"safe"}},"delta":{"role":"assistant","content":null}}]}\n\n'),
            (b'data: {"id":"chatcmpl-DzsQLnPBPYPGpiWZixMg9tF7","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,'
             b'"content_filter_results":{"hate":{"filtered":false,"severity":"safe"},"self_harm":{"filtere'
             b'd":false,"severity":"safe"},"sexual":{"filtered":false,"severity":"safe"},"violence":{"filt'
             b'ered":false,"severity":"safe"}},"delta":{"refusal":"I can\'t help w"}}]}\n\n'),
            (b'data: {"id":"chatcmpl-DzsQLnPBPYPGpiWZixMg9tF7","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,'
             b'"content_filter_results":{"hate":{"filtered":false,"severity":"safe"},"self_harm":{"filtere'
             b'd":false,"severity":"safe"},"sexual":{"filtered":false,"severity":"safe"},"violence":{"filt'
             b'ered":false,"severity":"safe"}},"delta":{"refusal":"ith getting in"}}]}\n\n'),
            (b'data: {"id":"chatcmpl-DzsQLnPBPYPGpiWZixMg9tF7","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,'
             b'"content_filter_results":{"hate":{"filtered":false,"severity":"safe"},"self_harm":{"filtere'
             b'd":false,"severity":"safe"},"sexual":{"filtered":false,"severity":"safe"},"violence":{"filt'
             b'ered":false,"severity":"safe"}},"delta":{"refusal":"to other peopl"}}]}\n\n'),
            (b'data: {"id":"chatcmpl-DzsQLnPBPYPGpiWZixMg9tF7","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,'
             b'"content_filter_results":{"hate":{"filtered":false,"severity":"safe"},"self_harm":{"filtere'
             b'd":false,"severity":"safe"},"sexual":{"filtered":false,"severity":"safe"},"violence":{"filt'
             b'ered":false,"severity":"safe"}},"delta":{"refusal":"e\'s devices."}}]}\n\n'),
            (b'data: {"id":"chatcmpl-DzsQLnPBPYPGpiWZixMg9tF7","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":"stop'
             b'","content_filter_results":{"hate":{"filtered":false,"severity":"safe"},"self_harm":{"filte'
             b'red":false,"severity":"safe"},"sexual":{"filtered":false,"severity":"safe"},"violence":{"fi'
             b'ltered":false,"severity":"safe"}},"delta":{}}]}\n\n'),
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


def content_of(chunks):
    """The content that Anthropic's events amount to."""
    blocks, inputs = [], {}
    for line in b"".join(chunks).decode().splitlines():
        event = json.loads(line.removeprefix("data:")) if line.startswith("data:") else {}
        if event.get("type") == "content_block_start":
            blocks.append(event["content_block"])
        for name, piece in event.get("delta", {}).items():
            if name == "partial_json":
                inputs[len(blocks) - 1] = inputs.get(len(blocks) - 1, "") + piece
            elif name in ("text", "thinking", "signature"):
                blocks[-1][name] = blocks[-1].get(name, "") + piece
    for place, text in inputs.items():
        blocks[place]["input"] = json.loads(text or "{}")
    return blocks


loop = asyncio.new_event_loop()  # for all calls, because connections are kept for one


messages = [{"role": "user", "content": "Break into my neighbour's router."}]
tools = [
    {
        "name": "run_shell_command",
        "description": "Execute a shell command",
        "input_schema": {
            "type": "object",
            "properties": {
                "command": {"type": "string", "description": "The command line to run"},
                "directory": {"type": "string", "description": "Where to run it"},
                "description": {"type": "string", "description": "What it is for"},
            },
            "required": ["command"],
        },
    },
]


def ask():
    async def stream():
        chunks = await litellm.anthropic.messages.acreate(
            model="azure/gpt-4.1",
            max_tokens=1024,
            messages=messages,
            tools=tools,
            api_base=BASE_URL,
            api_key="test-key",
            max_retries=0,
            api_version="2024-10-21",
            stream=True,
        )
        return [chunk async for chunk in chunks]

    return loop.run_until_complete(stream())


answer = ask()
print(f"\n<-- {answer!r}")

# common.stream.equivalent-to-non-stream: A stream is understood as the same turn (text, calls, ids, arguments,
#   stop, usage) as the equivalent blocking response, however its bytes are cut.
#   at:       /text in what the library makes of answer 1
#   expected: I can't help with getting into other people's devices.
#   found:    ""
#   harness:  conformance run env:litellm-messages --provider azure --scenario errors.refusal --delivery stream:per-event --rule common.stream.equivalent-to-non-stream
