# pip install aisuite[gemini,mcp]==0.2.0

# binary_image.one_image/blocking on gemini, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import aisuite
from google.genai import types

ANSWERS = [
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"candidates":[{"content":{"parts":[{"functionCall":{"name":"read_file","args":{"absolute_p'
             b'ath":"/srv/app/logo.png"},"id":"apvx4ykm"}}],"role":"model"},"finishReason":"STOP","index":'
             b'0,"finishMessage":"Model generated function call(s)."}],"usageMetadata":{"promptTokenCount"'
             b':11,"candidatesTokenCount":7,"totalTokenCount":18},"modelVersion":"test-model","responseId"'
             b':"77BFWYo9uCjSCKUCpFD3rW"}'),
        ],
    ),
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"candidates":[{"content":{"parts":[{"text":"It is a red square."}],"role":"model"},"finish'
             b'Reason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":11,"candidatesTokenCount":7,'
             b'"totalTokenCount":18},"modelVersion":"test-model","responseId":"BPKFWsmmjy42SwBfbVaR5V"}'),
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

options = types.HttpOptions(base_url=BASE_URL)
client = aisuite.Client({"gemini": {"api_key": "test-key", "http_options": options}})

messages = [{"role": "user", "content": "What does the logo look like?"}]
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
    return client.chat.completions.create(
        model="gemini:test-model",
        messages=messages,
        max_tokens=1024,
        tools=tools,
    )


answer = ask()
print(f"\n<-- {answer!r}")
messages.append(answer.choices[0].message)
calls = messages[-1].tool_calls or []
messages += [
    {
        "role": "tool",
        "tool_call_id": calls[0].id,
        "name": "read_file",
        "content": [
            {
                "type": "image_url",
                "image_url": {
                    "url": ("data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR"
                     "42mP4z8AARAwQCgAf7gP9Y167WwAAAABJRU5ErkJggg=="),
                },
            },
        ],
    },
]
answer = ask()
print(f"\n<-- {answer!r}")

# gemini.binary.portable-sibling-inline-data: Portable (seed) policy: the image of a single call stands as an
#   inlineData part {mimeType,data} beside its functionResponse, which says it in a short text, or inside it
#   (functionResponse.parts, Gemini 3+); beside several responses there is no image.
#   at:       /contents/2/parts in request 2
#   expected: {"inlineData": {"mimeType": "image/png"}}
#   found:    0 other images
#   harness:  conformance run env:aisuite --provider gemini --scenario binary_image.one_image --delivery blocking --rule gemini.binary.portable-sibling-inline-data
