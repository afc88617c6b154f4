# pip install litellm[mcp]==1.106.2

# quirks.calls_in_many_chunks/stream:per-event on ollama, without the harness: this program is the provider, too.

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
             b'nt","content":"I wil"},"done":false}\n'),
            (b'{"model":"test-model","created_at":"2026-01-15T10:20:30.123456Z","message":{"role":"assista'
             b'nt","content":"l rea"},"done":false}\n'),
            (b'{"model":"test-model","created_at":"2026-01-15T10:20:30.123456Z","message":{"role":"assista'
             b'nt","content":"d bot"},"done":false}\n'),
            (b'{"model":"test-model","created_at":"2026-01-15T10:20:30.123456Z","message":{"role":"assista'
             b'nt","content":"h."},"done":false}\n'),
            (b'{"model":"test-model","created_at":"2026-01-15T10:20:30.123456Z","message":{"role":"assista'
             b'nt","content":"","tool_calls":[{"id":"call_kdwmcced","function":{"index":0,"name":"read_fil'
             b'e","arguments":{"absolute_path":"/srv/a.txt"}}}]},"done":false}\n'),
            (b'{"model":"test-model","created_at":"2026-01-15T10:20:30.123456Z","message":{"role":"assista'
             b'nt","content":"","tool_calls":[{"id":"call_oqfg5uss","function":{"index":1,"name":"read_fil'
             b'e","arguments":{"absolute_path":"/srv/b.txt"}}}]},"done":false}\n'),
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

items = [{"role": "user", "content": "Compare a.txt with b.txt."}]
tools = [
    {
        "type": "function",
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
        "strict": False,
    },
]


def ask():
    return list(litellm.responses(
        model="ollama_chat/qwen3",
        input=items,
        max_output_tokens=1024,
        tools=tools,
        api_base=BASE_URL,
        api_key="test-key",
        max_retries=0,
        stream=True,
    ))


answer = ask()
print(f"\n<-- {answer!r}")

# ollama.stream.ndjson: A stream is NDJSON, one object a line, until done:true; tool_calls come whole, on lines
#   before that one, on one or on several, and are all kept.
#   at:       /calls in what the library makes of answer 1
#   expected: ["read_file", "read_file"]
#   found:    ["read_file"]
#   harness:  conformance run env:litellm-responses --provider ollama --scenario quirks.calls_in_many_chunks --delivery stream:per-event --rule ollama.stream.ndjson
