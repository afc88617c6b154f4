# pip install langchain-openai==1.7.3

# errors.content_filter/blocking on azure, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from langchain_core.messages import HumanMessage
from langchain_openai import AzureChatOpenAI

ANSWERS = [
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"id":"chatcmpl-SmULZqb9N9WmYVMKKhXLRWLw","object":"chat.completion","created":1760000000,"'
             b'model":"test-model","choices":[{"index":0,"message":{"role":"assistant","content":"The pict'
             b'ure shows","refusal":null},"logprobs":null,"finish_reason":"content_filter","content_filter'
             b'_results":{"hate":{"filtered":false,"severity":"safe"},"self_harm":{"filtered":false,"sever'
             b'ity":"safe"},"sexual":{"filtered":false,"severity":"safe"},"violence":{"filtered":false,"se'
             b'verity":"safe"}}}],"usage":{"prompt_tokens":11,"completion_tokens":7,"total_tokens":18},"pr'
             b'ompt_filter_results":[{"prompt_index":0,"content_filter_results":{"hate":{"filtered":false,'
             b'"severity":"safe"},"self_harm":{"filtered":false,"severity":"safe"},"sexual":{"filtered":fa'
             b'lse,"severity":"safe"},"violence":{"filtered":false,"severity":"safe"}}}]}'),
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

model = AzureChatOpenAI(
    model="test-model",
    api_key="test-key",
    azure_deployment="test-model",
    api_version="2024-10-21",
    azure_endpoint=BASE_URL,
    max_tokens=1024,
    max_retries=0,
    stream_usage=True,
)

messages = [HumanMessage("Describe the picture in detail.")]
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
    return model.bind_tools(tools=tools).invoke(messages)


answer = ask()
print(f"\n<-- {answer!r}")

# common.adapter.completes: Every operation that the adapter declares returns a value of the right type, within
#   the time limit and without raising.
#   at:       (whole) in what the library makes of answer 1
#   expected: a turn from complete
#   found:    complete raised ValueError: Azure has not provided the response due to a content filter being triggered
#   harness:  conformance run env:langchain-openai --provider azure --scenario errors.content_filter --delivery blocking --rule common.adapter.completes
