# pip install openai==3.54.0

# no_arguments.missing/blocking on openai-chat, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import openai

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
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"id":"chatcmpl-dVtE6REc35c5wnBvTaCavKxx","object":"chat.completion","created":1760000000,"'
             b'model":"test-model","choices":[{"index":0,"message":{"role":"assistant","content":"Yes, it '
             b'is clean.","refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens'
             b'":11,"completion_tokens":7,"total_tokens":18}}'),
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

client = openai.OpenAI(api_key="test-key", base_url=BASE_URL + "/v1", max_retries=0)

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
    return client.chat.completions.create(
        model="test-model",
        messages=messages,
        max_completion_tokens=1024,
        tools=tools,
    )


answer = ask()
print(f"\n<-- {answer!r}")
messages.append(answer.choices[0].message)
calls = messages[-1].tool_calls or []
messages += [
    {"role": "tool", "tool_call_id": calls[0].id, "content": "nothing to commit, working tree clean"},
]
answer = ask()
print(f"\n<-- {answer!r}")

# chat.history.assistant-call-fields: Replayed assistant call carries id, type:"function" and
#   function.{name,arguments}; content is null, text, parts of text, or absent.
#   at:       /messages/1/tool_calls/0/function/arguments in request 2
#   expected: the arguments
#   found:    null
#   harness:  conformance run env:openai --provider openai-chat --scenario no_arguments.missing --delivery blocking --rule chat.history.assistant-call-fields
