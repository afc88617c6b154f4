# pip install pydantic-ai-slim[mistral]==2.68.0

# quirks.missing_ids_parallel/blocking on mistral, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from pydantic_ai.direct import model_request_sync
from pydantic_ai.messages import ModelRequest
from pydantic_ai.messages import UserPromptPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.mistral import MistralModel
from pydantic_ai.providers.mistral import MistralProvider
from pydantic_ai.tools import ToolDefinition

ANSWERS = [
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"id":"chatcmpl-mWFeTF2UgLrpJPJrh2Ew3DUc","object":"chat.completion","created":1760000000,"'
             b'model":"test-model","choices":[{"index":0,"message":{"role":"assistant","content":"","tool_'
             b'calls":[{"function":{"name":"read_file","arguments":"{\\"absolute_path\\":\\"/srv/a.txt\\"}'
             b'"},"index":0},{"function":{"name":"read_file","arguments":"{\\"absolute_path\\":\\"/srv/b.t'
             b'xt\\"}"},"index":1}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":11,"completio'
             b'n_tokens":7,"total_tokens":18}}'),
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

model = MistralModel("test-model", provider=MistralProvider(base_url=BASE_URL, api_key="test-key"))

messages = [ModelRequest(parts=[UserPromptPart("Compare a.txt with b.txt.")])]
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

# common.ids.unique-in-conversation: Call ids as the application sees them are not empty and are unique in the
#   conversation: ids that sloppy gateways leave out or repeat are minted anew.
#   at:       /calls/1/id in what the library makes of answer 1
#   expected: an id of its own
#   found:    "null"
#   harness:  conformance run env:pydantic-ai --provider mistral --scenario quirks.missing_ids_parallel --delivery blocking --rule common.ids.unique-in-conversation
