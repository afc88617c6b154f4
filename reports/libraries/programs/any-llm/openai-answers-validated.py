# pip install any-llm-sdk==1.40.2

# no_arguments.missing/blocking on openai-chat, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from any_llm import AnyLLM

ANSWERS = [
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"id":"chatcmpl-YMipHNQDQAU6FtdGq8ggDNZo","object":"chat.completion","created":1760000000,"'
             b'model":"test-model","choices":[{"index":0,"message":{"role":"assistant","content":null,"ref'
             b'usal":null,"tool_calls":[{"id":"call_3K3TjVWnJPYmgaKkeUDN6vDA","type":"function","function"'
             b':{"name":"git_status"}}]},"logprobs":null,"finish_reason":"tool_calls"}],"usage":{"prompt_t'
             b'okens":11,"completion_tokens":7,"total_tokens":18}}'),
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

client = AnyLLM.create("openai", api_key="test-key", api_base=BASE_URL + "/v1", max_retries=0)

messages = [{"role": "user", "content": "Is the tree clean?"}]
tools = [
    {
        "type": "function",
        "function": {
            "name": "git_status",
            "description": "Show the state of the working tree",
            "parameters": {
                "type": "object",
                "properties": {"path": {"type": "string", "description": "Only below this path"}},
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

# common.parse.empty-arguments: A call without arguments ("", "{}", {}, missing, null where the wire allows)
#   parses to args == {} and is not dropped.
#   at:       (whole) in what the library makes of answer 1
#   expected: the turn that the provider sent
#   found:    complete raised ValidationError: 3 validation errors for ChatCompletion choices.0.message.tool_calls.0.ChatCompletionMessageFunctionToolCall.function.arguments Input should be a valid string [type=string_type, input_value=None, input_type=NoneType] For further information visit https://errors.pydantic.dev/2.14/v/string_type choices.0.message.tool_calls.0.ChatCompletionMessageCustomToolCall.custom Field required [type=missing, input_value={'id': 'call_3K3TjVWnJPYm...s'}, 'type': 'function'}, input_type=dict] For further informat
#   harness:  conformance run env:any-llm --provider openai-chat --scenario no_arguments.missing --delivery blocking --rule common.parse.empty-arguments
