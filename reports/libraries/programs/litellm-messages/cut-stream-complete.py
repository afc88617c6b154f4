# pip install litellm[proxy]==1.106.2

# errors.cut_in_arguments/stream:per-event on gemini, without the harness: this program is the provider, too.

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
            (b'data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"run_shell_command","args'
             b'":{"command":"rm -rf /srv/\n\n'),
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


messages = [{"role": "user", "content": "Clean up."}]
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
            model="gemini/gemini-3.1-pro-preview",
            max_tokens=1024,
            messages=messages,
            tools=tools,
            api_base=BASE_URL + "/v1beta",
            api_key="test-key",
            max_retries=0,
            stream=True,
        )
        return [chunk async for chunk in chunks]

    return loop.run_until_complete(stream())


answer = ask()
print(f"\n<-- {answer!r}")

# common.stream.truncated-stream-not-complete: A stream that ends without its terminal marker (connection cut)
#   is flagged incomplete, and the call that was cut is not understood as one that can be run.
#   at:       /stop in what the library makes of answer 1
#   expected: incomplete
#   found:    end
#   harness:  conformance run env:litellm-messages --provider gemini --scenario errors.cut_in_arguments --delivery stream:per-event --rule common.stream.truncated-stream-not-complete
