# pip install llm==0.36

# arguments.trailing_text/blocking on openai-responses, without the harness: this program is the provider, too.

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
            (b'{"id":"resp_YZ4tbAXDurkrUkC2DRLqctzvNCXdVpmhmujzUMNvBKxo9wYf","object":"response","created_'
             b'at":1760000000,"status":"completed","background":false,"completed_at":1760000002,"error":nu'
             b'll,"frequency_penalty":0.0,"incomplete_details":null,"instructions":null,"max_output_tokens'
             b'":null,"max_tool_calls":null,"model":"test-model","output":[{"id":"fc_3FzuJcmWFJ6uQUp7fQEur'
             b'6ApeFTXaQpumbdqUas3jQMqcUGu","type":"function_call","status":"completed","arguments":"{\\"c'
             b'ommand\\": \\"date\\"}</tool_call>","call_id":"call_9gW2a9NP9hgcV6L2xC82zDAd","name":"run_s'
             b'hell_command"}],"parallel_tool_calls":true,"presence_penalty":0.0,"previous_response_id":nu'
             b'll,"prompt_cache_key":null,"prompt_cache_retention":null,"reasoning":{"effort":null,"summar'
             b'y":null},"safety_identifier":null,"service_tier":"default","store":true,"temperature":1.0,"'
             b'text":{"format":{"type":"text"},"verbosity":"medium"},"tool_choice":"auto","tools":[],"top_'
             b'logprobs":0,"top_p":1.0,"truncation":"disabled","usage":{"input_tokens":11,"input_tokens_de'
             b'tails":{"cache_write_tokens":0,"cached_tokens":0},"output_tokens":7,"output_tokens_details"'
             b':{"reasoning_tokens":0},"total_tokens":18},"user":null,"metadata":{}}'),
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

prompt = "Show the date."
tool_results = []
tools = [
    Tool(
        name="run_shell_command",
        description="Execute a shell command",
        input_schema={
            "type": "object",
            "properties": {
                "command": {"type": "string", "description": "The command line to run"},
                "directory": {"type": "string", "description": "Where to run it"},
                "description": {"type": "string", "description": "What it is for"},
            },
            "required": ["command"],
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

# common.parse.invalid-json-arguments: Arguments that are not valid JSON (truncated, trailing text) neither
#   crash parsing nor silently become {}: the call is surfaced with raw text and an explicit invalid flag.
#   at:       /calls/0 in what the library makes of answer 1
#   expected: {"arguments": null, "raw": "{\"command\": \"date\"}</tool_call>", "invalid": true}
#   found:    {"arguments": {"_raw": "{\"command\": \"date\"}</tool_call>"}, "raw": null, "invalid": false}
#   harness:  conformance run env:llm --provider openai-responses --scenario arguments.trailing_text --delivery blocking --rule common.parse.invalid-json-arguments
