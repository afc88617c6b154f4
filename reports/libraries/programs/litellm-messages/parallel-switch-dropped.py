# pip install litellm[proxy]==1.106.2

# tool_choice.one_at_a_time/blocking on azure, without the harness: this program is the provider, too.

import asyncio
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import litellm

ANSWERS = [
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"id":"chatcmpl-8S7KNMkcEaVuzfNhGkGU8F9r","object":"chat.completion","created":1760000000,"'
             b'model":"test-model","choices":[{"index":0,"message":{"role":"assistant","content":null,"ref'
             b'usal":null,"tool_calls":[{"id":"call_7MLv5Aq69jFuiFCXDsbSHNHa","type":"function","function"'
             b':{"name":"read_file","arguments":"{\\"absolute_path\\":\\"/srv/a.txt\\"}"}}]},"logprobs":nu'
             b'll,"finish_reason":"tool_calls","content_filter_results":{}}],"usage":{"prompt_tokens":11,"'
             b'completion_tokens":7,"total_tokens":18},"prompt_filter_results":[{"prompt_index":0,"content'
             b'_filter_results":{"hate":{"filtered":false,"severity":"safe"},"self_harm":{"filtered":false'
             b',"severity":"safe"},"sexual":{"filtered":false,"severity":"safe"},"violence":{"filtered":fa'
             b'lse,"severity":"safe"}}}]}'),
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

loop = asyncio.new_event_loop()  # for all calls, because connections are kept for one

messages = [{"role": "user", "content": "Read a.txt, then b.txt."}]
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
tool_choice = {"type": "auto", "disable_parallel_tool_use": True}


def ask():
    return loop.run_until_complete(litellm.anthropic.messages.acreate(
        model="azure/gpt-4.1",
        max_tokens=1024,
        messages=messages,
        tools=tools,
        tool_choice=tool_choice,
        api_base=BASE_URL,
        api_key="test-key",
        max_retries=0,
        api_version="2024-10-21",
    ))


answer = ask()
print(f"\n<-- {answer!r}")

# chat.choose.parallel-disabled: Disabling parallel calls is top-level parallel_tool_calls:false (only with
#   tools).
#   at:       /parallel_tool_calls in request 1
#   expected: false
#   found:    null
#   harness:  conformance run env:litellm-messages --provider azure --scenario tool_choice.one_at_a_time --delivery blocking --rule chat.choose.parallel-disabled
