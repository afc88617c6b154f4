# pip install langchain-google-genai==4.4.2

# arguments.floats/blocking on gemini, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from langchain_core.messages import HumanMessage, ToolMessage
from langchain_google_genai import ChatGoogleGenerativeAI

ANSWERS = [
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"candidates":[{"content":{"parts":[{"functionCall":{"name":"query_orders","args":{"filter"'
             b':{"lat":48.137154,"lon":-11.576124,"tolerance":1.5e-07,"price":{"min":19.99,"max":20.01},"r'
             b'ate":0.1}},"id":"tyef6a9a"}}],"role":"model"},"finishReason":"STOP","index":0,"finishMessag'
             b'e":"Model generated function call(s)."}],"usageMetadata":{"promptTokenCount":11,"candidates'
             b'TokenCount":7,"totalTokenCount":18},"modelVersion":"test-model","responseId":"3aykbunvLET4J'
             b'QfMZP65EC"}'),
        ],
    ),
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"candidates":[{"content":{"parts":[{"text":"There are two."}],"role":"model"},"finishReaso'
             b'n":"STOP","index":0}],"usageMetadata":{"promptTokenCount":11,"candidatesTokenCount":7,"tota'
             b'lTokenCount":18},"modelVersion":"test-model","responseId":"Cg4xdWzcs9L3CYf8FbzZ4N"}'),
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

messages = [HumanMessage("Find orders near the office that cost about 20.")]
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
messages.append(answer)
calls = [*answer.tool_calls, *answer.invalid_tool_calls]
messages += [ToolMessage(content="2 orders", tool_call_id=calls[0]["id"], name="query_orders")]
answer = ask()
print(f"\n<-- {answer!r}")

# gemini.ids.echoed-when-present: If the response carried functionCall.id, the same id is sent in the replayed
#   functionCall and in functionResponse.id.
#   at:       /contents/1/parts/0/functionCall/id in request 2
#   expected: tyef6a9a
#   found:    null
#   harness:  conformance run env:langchain-google-genai --provider gemini --scenario arguments.floats --delivery blocking --rule gemini.ids.echoed-when-present
