# pip install langchain-google-genai==4.4.2

# arguments.integral_floats/blocking on gemini, without the harness: this program is the provider, too.

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
            (b'{"candidates":[{"content":{"parts":[{"functionCall":{"name":"read_file","args":{"absolute_p'
             b'ath":"/srv/app/main.py","offset":0.0,"limit":5.0},"id":"8bszjmsz"}}],"role":"model"},"finis'
             b'hReason":"STOP","index":0,"finishMessage":"Model generated function call(s)."}],"usageMetad'
             b'ata":{"promptTokenCount":11,"candidatesTokenCount":7,"totalTokenCount":18},"modelVersion":"'
             b'test-model","responseId":"LrycGf7dKYDjNe7VvZUQKg"}'),
        ],
    ),
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"candidates":[{"content":{"parts":[{"text":"It has one line."}],"role":"model"},"finishRea'
             b'son":"STOP","index":0}],"usageMetadata":{"promptTokenCount":11,"candidatesTokenCount":7,"to'
             b'talTokenCount":18},"modelVersion":"test-model","responseId":"eTYBaVa5KJN4CRq6kSkCRV"}'),
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

messages = [HumanMessage("Show five lines.")]
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
messages.append(answer)
calls = [*answer.tool_calls, *answer.invalid_tool_calls]
messages += [ToolMessage(content="import sys\n", tool_call_id=calls[0]["id"], name="read_file")]
answer = ask()
print(f"\n<-- {answer!r}")

# gemini.ids.echoed-when-present: If the response carried functionCall.id, the same id is sent in the replayed
#   functionCall and in functionResponse.id.
#   at:       /contents/1/parts/0/functionCall/id in request 2
#   expected: 8bszjmsz
#   found:    null
#   harness:  conformance run env:langchain-google-genai --provider gemini --scenario arguments.integral_floats --delivery blocking --rule gemini.ids.echoed-when-present
