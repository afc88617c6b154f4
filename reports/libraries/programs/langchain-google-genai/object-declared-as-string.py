# pip install langchain-google-genai==4.4.2

# arguments.deep_nesting/blocking on gemini, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from langchain_core.messages import HumanMessage
from langchain_google_genai import ChatGoogleGenerativeAI

ANSWERS = [
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"candidates":[{"content":{"parts":[{"functionCall":{"name":"query_orders","args":{"filter"'
             b':{"and":[{"or":[{"not":{"and":[{"or":[{"not":{"and":[{"or":[{"not":{"and":[{"or":[{"eq":["d'
             b'epth",20]}]}]}}]}]}}]}]}}]}]}},"id":"36h5eqyf"}}],"role":"model"},"finishReason":"STOP","in'
             b'dex":0,"finishMessage":"Model generated function call(s)."}],"usageMetadata":{"promptTokenC'
             b'ount":11,"candidatesTokenCount":7,"totalTokenCount":18},"modelVersion":"test-model","respon'
             b'seId":"jKCbiemTQW63aJGPEwMiYV"}'),
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

messages = [HumanMessage("Run the nested filter.")]
tools = [
    {
        "type": "function",
        "function": {
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
        },
    },
]


def ask():
    return model.bind_tools(tools=tools).invoke(messages)


answer = ask()
print(f"\n<-- {answer!r}")

# common.declare.schema-passthrough: The description and the JSON Schema of a tool reach the wire without loss
#   of properties, required, enum, items, nesting, descriptions or property order (except documented
#   per-provider rewrites).
#   at:       /tools/0/functionDeclarations/0/parameters/properties/filter/type in request 1
#   expected: object
#   found:    STRING
#   harness:  conformance run env:langchain-google-genai --provider gemini --scenario arguments.deep_nesting --delivery blocking --rule common.declare.schema-passthrough
