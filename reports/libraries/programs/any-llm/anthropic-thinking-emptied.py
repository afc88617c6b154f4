# pip install any-llm-sdk[anthropic]==1.40.2

# reasoning.answer_then_question/blocking on anthropic, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from any_llm import AnyLLM

ANSWERS = [
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"model":"test-model","id":"msg_wnfYTQLYFQqhcVCHtPwtupg3","type":"message","role":"assistan'
             b't","content":[{"type":"thinking","thinking":"CODEOWNERS should say it.","signature":"+/+Szb'
             b"PDtPkWzQ/fP40Tzn2+RhsHML8N0zKY4+CaPtHejJ5FAZinsprgCdJg93ok6xN+DxZCgUtXk0+IK6rlGGQldWq3winzp"
             b'hKoyp/BXL1M05ot9eCErruK1UxuMRpo9/Y="},{"type":"tool_use","id":"toolu_ikJaKXYkR5GdVmMVPdHzWP'
             b'r3","name":"read_file","input":{"absolute_path":"/srv/app/CODEOWNERS"}}],"stop_reason":"too'
             b'l_use","stop_sequence":null,"stop_details":null,"usage":{"input_tokens":11,"cache_creation_'
             b'input_tokens":0,"cache_read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0'
             b',"ephemeral_1h_input_tokens":0},"output_tokens":7,"service_tier":"standard"}}'),
        ],
    ),
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"model":"test-model","id":"msg_PjL7buCEsHztWSKqjx5pwPBa","type":"message","role":"assistan'
             b't","content":[{"type":"text","text":"Mira does."}],"stop_reason":"end_turn","stop_sequence"'
             b':null,"stop_details":null,"usage":{"input_tokens":11,"cache_creation_input_tokens":0,"cache'
             b'_read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_t'
             b'okens":0},"output_tokens":7,"service_tier":"standard"}}'),
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

client = AnyLLM.create("anthropic", api_key="test-key", api_base=BASE_URL, max_retries=0)

messages = [{"role": "user", "content": "Who maintains the parser?"}]
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
    return client.completion(
        model="test-model",
        messages=messages,
        max_tokens=1024,
        tools=tools,
        reasoning_effort="medium",
    )


answer = ask()
print(f"\n<-- {answer!r}")
messages.append(answer.choices[0].message)
calls = messages[-1].tool_calls or []
messages += [
    {
        "role": "tool",
        "tool_call_id": calls[0].id,
        "name": "read_file",
        "content": "/parser @mira\n/web @jon\n",
    },
]
answer = ask()
print(f"\n<-- {answer!r}")

# anthropic.history.thinking-blocks-verbatim: thinking{thinking,signature} and redacted_thinking{data} blocks of
#   the turn that still goes on are replayed, unmodified, in their order and first in the assistant message;
#   those of earlier turns may be left out.
#   at:       /messages/1/content/0/thinking in request 2
#   expected: CODEOWNERS should say it.
#   found:    ""
#   harness:  conformance run env:any-llm --provider anthropic --scenario reasoning.answer_then_question --delivery blocking --rule anthropic.history.thinking-blocks-verbatim
