# pip install any-llm-sdk[anthropic]==1.40.2

# multi_turn.empty_answer/blocking on anthropic, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from any_llm import AnyLLM

ANSWERS = [
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"model":"test-model","id":"msg_oGVzNx5iDumJxytPR8uUA4mp","type":"message","role":"assistan'
             b't","content":[{"type":"tool_use","id":"toolu_LoAGnFnaTiNyPZqMHqkDqNFX","name":"write_file",'
             b'"input":{"file_path":"/srv/app/list.json","content":"[]"}}],"stop_reason":"tool_use","stop_'
             b'sequence":null,"stop_details":null,"usage":{"input_tokens":11,"cache_creation_input_tokens"'
             b':0,"cache_read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1'
             b'h_input_tokens":0},"output_tokens":7,"service_tier":"standard"}}'),
        ],
    ),
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"model":"test-model","id":"msg_nkRQaa5JQZcKhQzEUUTXNjCn","type":"message","role":"assistan'
             b't","content":[],"stop_reason":"end_turn","stop_sequence":null,"stop_details":null,"usage":{'
             b'"input_tokens":11,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"cache_creati'
             b'on":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0},"output_tokens":7,"servic'
             b'e_tier":"standard"}}'),
        ],
    ),
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"model":"test-model","id":"msg_awoSouaPsgAENbjuXmb5RXVD","type":"message","role":"assistan'
             b't","content":[{"type":"text","text":"Yes, the file holds an empty list."}],"stop_reason":"e'
             b'nd_turn","stop_sequence":null,"stop_details":null,"usage":{"input_tokens":11,"cache_creatio'
             b'n_input_tokens":0,"cache_read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens"'
             b':0,"ephemeral_1h_input_tokens":0},"output_tokens":7,"service_tier":"standard"}}'),
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
    return client.completion(
        model="test-model",
        messages=messages,
        max_tokens=1024,
        tools=tools,
        reasoning_effort="none",
    )


answer = ask()
print(f"\n<-- {answer!r}")
messages.append(answer.choices[0].message)
calls = messages[-1].tool_calls or []
messages += [
    {
        "role": "tool",
        "tool_call_id": calls[0].id,
        "name": "write_file",
        "content": "Wrote 2 bytes to /srv/app/list.json",
    },
]
answer = ask()
print(f"\n<-- {answer!r}")
messages.append(answer.choices[0].message)
messages += [{"role": "user", "content": "Did it work?"}]
answer = ask()
print(f"\n<-- {answer!r}")

# anthropic.history.no-empty-text-blocks: No text block or string content of a message is empty or only white
#   space (drop the block; empty assistant text beside tool_use is dropped), and none in a result or in system
#   is empty. White space is taken beside the model's calls, and anything in a last assistant message.
#   at:       /messages/3/content in request 3
#   expected: text, or no message at all
#   found:    ""
#   harness:  conformance run env:any-llm --provider anthropic --scenario multi_turn.empty_answer --delivery blocking --rule anthropic.history.no-empty-text-blocks
