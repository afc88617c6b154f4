# pip install litellm[proxy]==1.106.2

# no_arguments.null_text/blocking on azure, without the harness: this program is the provider, too.

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
            (b'{"id":"chatcmpl-qz2rPLuRrqDxGCjC5wbVNhtN","object":"chat.completion","created":1760000000,"'
             b'model":"test-model","choices":[{"index":0,"message":{"role":"assistant","content":null,"ref'
             b'usal":null,"tool_calls":[{"id":"call_6Tz7MV5QGg7ksFLjUGvRgjL5","type":"function","function"'
             b':{"name":"git_status","arguments":"null"}}]},"logprobs":null,"finish_reason":"tool_calls","'
             b'content_filter_results":{}}],"usage":{"prompt_tokens":11,"completion_tokens":7,"total_token'
             b's":18},"prompt_filter_results":[{"prompt_index":0,"content_filter_results":{"hate":{"filter'
             b'ed":false,"severity":"safe"},"self_harm":{"filtered":false,"severity":"safe"},"sexual":{"fi'
             b'ltered":false,"severity":"safe"},"violence":{"filtered":false,"severity":"safe"}}}]}'),
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

messages = [{"role": "user", "content": "Is the tree clean?"}]
tools = [
    {
        "name": "git_status",
        "description": "Show the state of the working tree",
        "input_schema": {
            "type": "object",
            "properties": {"path": {"type": "string", "description": "Only below this path"}},
        },
    },
]


def ask():
    return loop.run_until_complete(litellm.anthropic.messages.acreate(
        model="azure/gpt-4.1",
        max_tokens=1024,
        messages=messages,
        tools=tools,
        api_base=BASE_URL,
        api_key="test-key",
        max_retries=0,
        api_version="2024-10-21",
    ))


answer = ask()
print(f"\n<-- {answer!r}")

# common.parse.empty-arguments: A call without arguments ("", "{}", {}, missing, null where the wire allows)
#   parses to args == {} and is not dropped.
#   at:       (whole) in what the library makes of answer 1
#   expected: the turn that the provider sent
#   found:    complete raised ValidationError: 1 validation error for AnthropicResponseContentBlockToolUse input Input should be a valid dictionary [type=dict_type, input_value=None, input_type=NoneType] For further information visit https://errors.pydantic.dev/2.14/v/dict_type
#   harness:  conformance run env:litellm-messages --provider azure --scenario no_arguments.null_text --delivery blocking --rule common.parse.empty-arguments
