# pip install pydantic-ai-slim[google]==2.68.0

# quirks.unknown_fields/blocking on gemini, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from pydantic_ai.direct import model_request_sync
from pydantic_ai.messages import ModelRequest
from pydantic_ai.messages import UserPromptPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.google import GoogleModel
from pydantic_ai.providers.google import GoogleProvider
from pydantic_ai.tools import ToolDefinition

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

model = GoogleModel("gemini-3-pro-preview", provider=GoogleProvider(base_url=BASE_URL, api_key="test-key"))

messages = [ModelRequest(parts=[UserPromptPart("Read a.txt.")])]
model_request_parameters = ModelRequestParameters(
    function_tools=[
        ToolDefinition(
            name="read_file",
            description="Read a file",
            parameters_json_schema={
                "type": "object",
                "properties": {
                    "absolute_path": {"type": "string", "description": "The absolute path of the file"},
                    "offset": {"type": "integer", "description": "The first line to read"},
                    "limit": {"type": "integer", "description": "How many lines to read"},
                },
                "required": ["absolute_path"],
            },
        ),
    ],
)


def ask():
    history = model.prepare_messages(messages)
    return model_request_sync(messages=history,
        model=model,
        model_settings={"max_tokens": 1024},
        model_request_parameters=model_request_parameters,
    )


answer = ask()
print(f"\n<-- {answer!r}")

# common.parse.unknown-fields-tolerated: Unknown response fields, block/item/event types and enum values are
#   ignored or kept opaque, never fatal.
#   at:       (whole) in what the library makes of answer 1
#   expected: the turn that the provider sent
#   found:    complete raised UnexpectedModelBehavior: Unsupported response from Gemini: Part()
#   harness:  conformance run env:pydantic-ai --provider gemini --scenario quirks.unknown_fields --delivery blocking --rule common.parse.unknown-fields-tolerated
