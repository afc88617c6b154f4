# pip install google-genai==3.4.0

# quirks.unknown_fields/blocking on gemini, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from google import genai
from google.genai import types

ANSWERS = [
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"candidates":[{"content":{"parts":[{"xUnknownPart":{"nested":[1]}},{"text":"I will.","xUnk'
             b'nown":{"nested":[1]}},{"functionCall":{"name":"read_file","args":{"absolute_path":"/srv/a.t'
             b'xt"},"id":"jfjz6h2e","xUnknown":{"nested":[1]}},"xUnknown":{"nested":[1]}}],"role":"model",'
             b'"xUnknown":{"nested":[1]}},"finishReason":"STOP","index":0,"finishMessage":"Model generated'
             b' function call(s).","xUnknown":{"nested":[1]}}],"usageMetadata":{"promptTokenCount":11,"can'
             b'didatesTokenCount":7,"totalTokenCount":18,"xUnknown":{"nested":[1]}},"modelVersion":"test-m'
             b'odel","responseId":"q4ecTmH3qcAMxCNjtRag9D","xUnknown":{"nested":[1]}}'),
        ],
    ),
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"candidates":[{"content":{"parts":[{"xUnknownPart":{"nested":[1]}},{"text":"It says hello.'
             b'","xUnknown":{"nested":[1]}}],"role":"model","xUnknown":{"nested":[1]}},"finishReason":"STO'
             b'P","index":0,"xUnknown":{"nested":[1]}}],"usageMetadata":{"promptTokenCount":11,"candidates'
             b'TokenCount":7,"totalTokenCount":18,"xUnknown":{"nested":[1]}},"modelVersion":"test-model","'
             b'responseId":"yiwTP6HsRSJNEy72mHfAix","xUnknown":{"nested":[1]}}'),
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
client = genai.Client(api_key="test-key", vertexai=False, http_options=options)

contents = [{"role": "user", "parts": [{"text": "Read a.txt."}]}]
config = types.GenerateContentConfig(
    tools=[
        {
            "function_declarations": [
                {
                    "name": "read_file",
                    "description": "Read a file",
                    "parameters_json_schema": {
                        "type": "object",
                        "properties": {
                            "absolute_path": {
                                "type": "string",
                                "description": "The absolute path of the file",
                            },
                            "offset": {"type": "integer", "description": "The first line to read"},
                            "limit": {"type": "integer", "description": "How many lines to read"},
                        },
                        "required": ["absolute_path"],
                    },
                },
            ],
        },
    ],
    max_output_tokens=1024,
    automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
)


def ask():
    return client.models.generate_content(model="test-model", contents=contents, config=config)


answer = ask()
print(f"\n<-- {answer!r}")
contents.append(answer.candidates[0].content)
calls = [part.function_call for part in contents[-1].parts or [] if part.function_call]
contents += [
    {
        "role": "user",
        "parts": [
            {"function_response": {"id": calls[0].id, "name": "read_file", "response": {"output": "hello"}}},
        ],
    },
]
answer = ask()
print(f"\n<-- {answer!r}")

# gemini.history.contents-container: The conversation is contents[] with parts[]: no messages, input, prompt or
#   content; every content has a part, and no part has two data fields.
#   at:       /contents/1/parts/0 in request 2
#   expected: a part such as {text: ...}
#   found:    {}
#   harness:  conformance run env:google-genai --provider gemini --scenario quirks.unknown_fields --delivery blocking --rule gemini.history.contents-container
