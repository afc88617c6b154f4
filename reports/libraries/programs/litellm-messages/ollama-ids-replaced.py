# pip install litellm[proxy]==1.106.2

# arguments.object_or_text/stream:per-event on ollama, without the harness: this program is the provider, too.

import asyncio
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import litellm

ANSWERS = [
    (
        200,
        {"content-type": "application/x-ndjson"},
        [
            (b'{"model":"test-model","created_at":"2026-01-15T10:20:30.123456Z","message":{"role":"assista'
             b'nt","content":"","tool_calls":[{"id":"call_vg9xtmct","function":{"index":0,"name":"read_fil'
             b'e","arguments":"{\\"absolute_path\\":\\"/srv/docs/guide.md\\",\\"limit\\":3}"}}]},"done":fa'
             b"lse}\n"),
            (b'{"model":"test-model","created_at":"2026-01-15T10:20:30.123456Z","message":{"role":"assista'
             b'nt","content":""},"done":true,"done_reason":"stop","total_duration":3067193667,"load_durati'
             b'on":94864083,"prompt_eval_count":11,"prompt_eval_duration":73948792,"eval_count":7,"eval_du'
             b'ration":2758205252}\n'),
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


messages = [{"role": "user", "content": "Read the first lines of the guide."}]
tools = [
    {
        "name": "read_file",
        "description": "Read a file",
        "input_schema": {
            "type": "object",
            "properties": {
                "absolute_path": {"type": "string", "description": "The absolute path of the file"},
                "offset": {"type": "integer", "description": "The first line to read"},
                "limit": {"type": "integer", "description": "How many lines to read"},
            },
            "required": ["absolute_path"],
        },
    },
]


def ask():
    async def stream():
        chunks = await litellm.anthropic.messages.acreate(
            model="ollama_chat/qwen3",
            max_tokens=1024,
            messages=messages,
            tools=tools,
            api_base=BASE_URL,
            api_key="test-key",
            max_retries=0,
            stream=True,
        )
        return [chunk async for chunk in chunks]

    return loop.run_until_complete(stream())


answer = ask()
print(f"\n<-- {answer!r}")

# common.stream.equivalent-to-non-stream: A stream is understood as the same turn (text, calls, ids, arguments,
#   stop, usage) as the equivalent blocking response, however its bytes are cut.
#   at:       /calls/0/id in what the library makes of answer 1
#   expected: call_vg9xtmct
#   found:    3fd9ac89-a53e-449a-a4a3-9cfb005db09f
#   harness:  conformance run env:litellm-messages --provider ollama --scenario arguments.object_or_text --delivery stream:per-event --rule common.stream.equivalent-to-non-stream
