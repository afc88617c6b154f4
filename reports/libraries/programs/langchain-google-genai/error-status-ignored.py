# pip install langchain-google-genai==4.4.2

# handoff.retired_tool/blocking on gemini, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_google_genai import ChatGoogleGenerativeAI

ANSWERS = [
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"candidates":[{"content":{"parts":[{"text":"Perhaps 8080."}],"role":"model"},"finishReason'
             b'":"STOP","index":0}],"usageMetadata":{"promptTokenCount":11,"candidatesTokenCount":7,"total'
             b'TokenCount":18},"modelVersion":"test-model","responseId":"mbJPhjnfFB9XKnbVwTLsKo"}'),
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

messages = [
    HumanMessage("What is the port?"),
    AIMessage(
        content="",
        tool_calls=[
            {
                "type": "tool_call",
                "id": "call_D2V5xeW5b4MShqU9RVFenats",
                "name": "read_file",
                "args": {"absolute_path": "/srv/app/config.yaml"},
            },
        ],
    ),
    ToolMessage(
        content="File not found: /srv/app/config.yaml",
        tool_call_id="call_D2V5xeW5b4MShqU9RVFenats",
        name="read_file",
        status="error",
    ),
    AIMessage(content="I cannot find out.", tool_calls=[]),
    HumanMessage("Then guess."),
]


def ask():
    return model.invoke(messages)


answer = ask()
print(f"\n<-- {answer!r}")

# common.result.error-visible-to-model: A failed tool is reported to the model: error text always present;
#   native flag where it exists (anthropic is_error, gemini response.error).
#   at:       /contents/2/parts/0/functionResponse in request 1
#   expected: a result that is marked as an error
#   found:    no mark
#   harness:  conformance run env:langchain-google-genai --provider gemini --scenario handoff.retired_tool --delivery blocking --rule common.result.error-visible-to-model
