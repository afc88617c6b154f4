# pip install aisuite[anthropic,mcp]==0.2.0

# handoff.similar_ids/blocking on anthropic, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import aisuite

ANSWERS = [
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"model":"test-model","id":"msg_qdXMotP4yQ7uyg6X7LPd8C4Q","type":"message","role":"assistan'
             b't","content":[{"type":"text","text":"I cannot tell from the files."}],"stop_reason":"end_tu'
             b'rn","stop_sequence":null,"stop_details":null,"usage":{"input_tokens":11,"cache_creation_inp'
             b'ut_tokens":0,"cache_read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"e'
             b'phemeral_1h_input_tokens":0},"output_tokens":7,"service_tier":"standard"}}'),
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

client = aisuite.Client({"anthropic": {"api_key": "test-key", "base_url": BASE_URL, "max_retries": 0}})

messages = [
    {"role": "user", "content": "Compare the two configs."},
    {
        "role": "assistant",
        "content": "",
        "tool_calls": [
            {
                "id": "run:2026-03-04T09:12:55/thread:7f3b9c1e5d2a4860b1c3d5e7f9a1b3c5/step:1/call:1",
                "type": "function",
                "function": {"name": "read_file", "arguments": '{"absolute_path":"/srv/old.yaml"}'},
            },
            {
                "id": "run:2026-03-04T09:12:55/thread:7f3b9c1e5d2a4860b1c3d5e7f9a1b3c5/step:1/call:2",
                "type": "function",
                "function": {"name": "read_file", "arguments": '{"absolute_path":"/srv/new.yaml"}'},
            },
        ],
    },
    {
        "role": "tool",
        "tool_call_id": "run:2026-03-04T09:12:55/thread:7f3b9c1e5d2a4860b1c3d5e7f9a1b3c5/step:1/call:1",
        "name": "read_file",
        "content": "port: 80\n",
    },
    {
        "role": "tool",
        "tool_call_id": "run:2026-03-04T09:12:55/thread:7f3b9c1e5d2a4860b1c3d5e7f9a1b3c5/step:1/call:2",
        "name": "read_file",
        "content": "port: 8080\n",
    },
    {"role": "assistant", "content": "The port changed from 80 to 8080."},
    {"role": "user", "content": "Which one is in use?"},
]
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
    return client.chat.completions.create(
        model="anthropic:test-model",
        messages=messages,
        max_tokens=1024,
        tools=tools,
    )


answer = ask()
print(f"\n<-- {answer!r}")

# anthropic.result.all-in-next-user-message: The tool_results of an assistant turn are together in the next user
#   message, not spread over several.
#   at:       /messages/3/content/0 in request 1
#   expected: all results in /messages/2
#   found:    ["/messages/2/content/0", "/messages/3/content/0"]
#   harness:  conformance run env:aisuite --provider anthropic --scenario handoff.similar_ids --delivery blocking --rule anthropic.result.all-in-next-user-message
