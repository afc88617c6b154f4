# pip install litellm[mcp]==1.106.2

# arguments.floats/blocking on ollama, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import litellm

ANSWERS = [
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"model":"test-model","created_at":"2026-01-15T10:20:30.123456Z","message":{"role":"assista'
             b'nt","content":"","tool_calls":[{"id":"call_tyef6a9a","function":{"index":0,"name":"query_or'
             b'ders","arguments":{"filter":{"lat":48.137154,"lon":-11.576124,"tolerance":1.5e-07,"price":{'
             b'"min":19.99,"max":20.01},"rate":0.1}}}}]},"done":true,"done_reason":"stop","total_duration"'
             b':3067193667,"load_duration":94864083,"prompt_eval_count":11,"prompt_eval_duration":73948792'
             b',"eval_count":7,"eval_duration":2758205252}'),
        ],
    ),
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"model":"test-model","created_at":"2026-01-15T10:20:30.123456Z","message":{"role":"assista'
             b'nt","content":"There are two."},"done":true,"done_reason":"stop","total_duration":306719366'
             b'7,"load_duration":94864083,"prompt_eval_count":11,"prompt_eval_duration":73948792,"eval_cou'
             b'nt":7,"eval_duration":2758205252}'),
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

items = [{"role": "user", "content": "Find orders near the office that cost about 20."}]
tools = [
    {
        "type": "function",
        "name": "query_orders",
        "description": "Search orders with a filter of any shape",
        "parameters": {
            "type": "object",
            "properties": {
                "filter": {"type": "object", "description": "The conditions"},
                "include_items": {
                    "type": "boolean",
                    "description": "Whether to list the items of each order",
                },
                "dry_run": {"type": "boolean", "description": "Whether only to count"},
            },
            "required": ["filter"],
        },
        "strict": False,
    },
]


def ask():
    return litellm.responses(
        model="ollama_chat/qwen3",
        input=items,
        max_output_tokens=1024,
        tools=tools,
        api_base=BASE_URL,
        api_key="test-key",
        max_retries=0,
    )


answer = ask()
print(f"\n<-- {answer!r}")
output = [item.model_dump(exclude_none=True) for item in answer.output]
items += output
calls = [item for item in output if item["type"] == "function_call"]
items += [{"type": "function_call_output", "call_id": calls[0]["call_id"], "output": "2 orders"}]
answer = ask()
print(f"\n<-- {answer!r}")

# ollama.result.tool-message: A result is {role:"tool", content, tool_name:<function name>}, with tool_call_id
#   where the call had an id.
#   at:       /messages/2/tool_name in request 2
#   expected: query_orders
#   found:    null
#   harness:  conformance run env:litellm-responses --provider ollama --scenario arguments.floats --delivery blocking --rule ollama.result.tool-message
