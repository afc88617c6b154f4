# pip install langchain-google-genai==4.4.2

# errors.prompt_blocked/stream:per-event on gemini, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from langchain_core.messages import HumanMessage
from langchain_core.messages.utils import message_chunk_to_message
from langchain_google_genai import ChatGoogleGenerativeAI

ANSWERS = [
    (
        200,
        {"content-type": "text/event-stream; charset=utf-8"},
        [
            (b'data: {"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"},"usageMetadata":{"promptTokenC'
             b'ount":11,"candidatesTokenCount":7,"totalTokenCount":18},"modelVersion":"test-model","respon'
             b'seId":"6tTitywTbNWKDiKq8LCGkQ"}\n\n'),
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

model = ChatGoogleGenerativeAI(
    model="gemini-3-pro-preview",
    google_api_key="test-key",
    base_url=BASE_URL,
    max_output_tokens=1024,
    max_retries=1,
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
    whole = None
    for chunk in model.bind_tools(tools=tools).stream(messages):
        whole = chunk if whole is None else whole + chunk
    return message_chunk_to_message(whole)


answer = ask()
print(f"\n<-- {answer!r}")

# common.stream.equivalent-to-non-stream: A stream is understood as the same turn (text, calls, ids, arguments,
#   stop, usage) as the equivalent blocking response, however its bytes are cut.
#   at:       /usage in what the library makes of answer 1
#   expected: null
#   found:    {"input_tokens": 11, "output_tokens": 7}
#   harness:  conformance run env:langchain-google-genai --provider gemini --scenario errors.prompt_blocked --delivery stream:per-event --rule common.stream.equivalent-to-non-stream
