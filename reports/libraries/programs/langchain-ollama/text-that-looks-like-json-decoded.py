# pip install langchain-ollama==1.1.0

# multi_turn.empty_answer/blocking on ollama, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from langchain_core.messages import HumanMessage
from langchain_ollama import ChatOllama

ANSWERS = [
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"model":"test-model","created_at":"2026-01-15T10:20:30.123456Z","message":{"role":"assista'
             b'nt","content":"","tool_calls":[{"id":"call_loagnfna","function":{"index":0,"name":"write_fi'
             b'le","arguments":{"file_path":"/srv/app/list.json","content":"[]"}}}]},"done":true,"done_rea'
             b'son":"stop","total_duration":3067193667,"load_duration":94864083,"prompt_eval_count":11,"pr'
             b'ompt_eval_duration":73948792,"eval_count":7,"eval_duration":2758205252}'),
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

model = ChatOllama(model="test-model", base_url=BASE_URL, num_predict=1024)

messages = [HumanMessage("Save an empty list.")]
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
    return model.bind_tools(tools=tools).invoke(messages)


answer = ask()
print(f"\n<-- {answer!r}")

# common.parse.args-types-preserved: Nested arguments keep JSON types: null, true/false, arrays, nested objects,
#   empty string, empty array; missing keys are not filled with null.
#   at:       /calls/0/arguments/content in what the library makes of answer 1
#   expected: "[]"
#   found:    []
#   harness:  conformance run env:langchain-ollama --provider ollama --scenario multi_turn.empty_answer --delivery blocking --rule common.parse.args-types-preserved
