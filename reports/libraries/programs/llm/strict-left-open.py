# pip install llm==0.36

# arguments.big_integers/blocking on openai-responses, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from llm import Tool
from llm.default_plugins import openai_models

ANSWERS = [
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"id":"resp_4h4w42gnXX7Vu7yKEbVJMyUgMwpvgUE3h3CYdr48ShHgwcYu","object":"response","created_'
             b'at":1760000000,"status":"completed","background":false,"completed_at":1760000002,"error":nu'
             b'll,"frequency_penalty":0.0,"incomplete_details":null,"instructions":null,"max_output_tokens'
             b'":null,"max_tool_calls":null,"model":"test-model","output":[{"id":"fc_BNXruc4PteZWdEPDNCKCC'
             b'eGD8B6xMBsEtfXPVogXaF4c2oBE","type":"function_call","status":"completed","arguments":"{\\"f'
             b'ilter\\":{\\"tweet\\":9007199254740993,\\"account\\":-9223372036854775808,\\"ids\\":[184467'
             b'4407370955161,9223372036854775807]}}","call_id":"call_UZgpEaZNG2VJHTKx3vDbgLHa","name":"que'
             b'ry_orders"}],"parallel_tool_calls":true,"presence_penalty":0.0,"previous_response_id":null,'
             b'"prompt_cache_key":null,"prompt_cache_retention":null,"reasoning":{"effort":null,"summary":'
             b'null},"safety_identifier":null,"service_tier":"default","store":true,"temperature":1.0,"tex'
             b't":{"format":{"type":"text"},"verbosity":"medium"},"tool_choice":"auto","tools":[],"top_log'
             b'probs":0,"top_p":1.0,"truncation":"disabled","usage":{"input_tokens":11,"input_tokens_detai'
             b'ls":{"cache_write_tokens":0,"cached_tokens":0},"output_tokens":7,"output_tokens_details":{"'
             b'reasoning_tokens":0},"total_tokens":18},"user":null,"metadata":{}}'),
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

model = openai_models.Responses(
    model_id="test-model",
    model_name="test-model",
    key="test-key",
    api_base=BASE_URL + "/v1",
    supports_tools=True,
)
talk = model.conversation()

prompt = "Show the order of this tweet."
tool_results = []
tools = [
    Tool(
        name="query_orders",
        description="Search orders with a filter of any shape",
        input_schema={
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
    ),
]


def ask():
    answer = talk.prompt(
        prompt=prompt,
        tool_results=tool_results,
        system=None,
        tools=tools,
        max_tokens=1024,
        stream=False,
    )
    answer.text()
    return answer


answer = ask()
print(f"\n<-- {(answer.text(), answer.tool_calls(), answer.json())!r}")

# responses.declare.strict-explicit: strict is sent explicitly, and as the application asked for it; left out,
#   Responses tries strict mode, which makes optional parameters required.
#   at:       /tools/0/strict in request 1
#   expected: true or false
#   found:    no such key
#   harness:  conformance run env:llm --provider openai-responses --scenario arguments.big_integers --delivery blocking --rule responses.declare.strict-explicit
