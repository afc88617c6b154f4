# pip install litellm[mcp]==1.106.2

# errors.refusal/blocking on openai-responses, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import litellm

ANSWERS = [
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"id":"resp_DzsQLnPBPYPGpiWZixMg9tF7piqF8wghF5GPXLwySrNhQpdU","object":"response","created_'
             b'at":1760000000,"status":"completed","background":false,"completed_at":1760000002,"error":nu'
             b'll,"frequency_penalty":0.0,"incomplete_details":null,"instructions":null,"max_output_tokens'
             b'":null,"max_tool_calls":null,"model":"test-model","output":[{"id":"msg_bPytQ8n7NYpdCCQ7Rc86'
             b'csdtzQPcacXUpR8uBLYzFnPhrwHA","type":"message","status":"completed","content":[{"type":"ref'
             b'usal","refusal":"I can\'t help with getting into other people\'s devices."}],"role":"assist'
             b'ant"}],"parallel_tool_calls":true,"presence_penalty":0.0,"previous_response_id":null,"promp'
             b't_cache_key":null,"prompt_cache_retention":null,"reasoning":{"effort":null,"summary":null},'
             b'"safety_identifier":null,"service_tier":"default","store":true,"temperature":1.0,"text":{"f'
             b'ormat":{"type":"text"},"verbosity":"medium"},"tool_choice":"auto","tools":[],"top_logprobs"'
             b':0,"top_p":1.0,"truncation":"disabled","usage":{"input_tokens":11,"input_tokens_details":{"'
             b'cache_write_tokens":0,"cached_tokens":0},"output_tokens":7,"output_tokens_details":{"reason'
             b'ing_tokens":0},"total_tokens":18},"user":null,"metadata":{}}'),
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

messages = [{"role": "user", "content": "Break into my neighbour's router."}]
tools = [
    {
        "type": "function",
        "function": {
            "name": "run_shell_command",
            "description": "Execute a shell command",
            "parameters": {
                "type": "object",
                "properties": {
                    "command": {"type": "string", "description": "The command line to run"},
                    "directory": {"type": "string", "description": "Where to run it"},
                    "description": {"type": "string", "description": "What it is for"},
                },
                "required": ["command"],
            },
        },
    },
]


def ask():
    return litellm.completion(
        model="openai/responses/gpt-5",
        messages=messages,
        max_tokens=1024,
        tools=tools,
        api_base=BASE_URL + "/v1",
        api_key="test-key",
        max_retries=0,
    )


answer = ask()
print(f"\n<-- {answer!r}")

# common.parse.stop-reason: Why an answer without calls ended is told as it was - by itself, at the token limit,
#   by a refusal, for a pause.
#   at:       /stop in what the library makes of answer 1
#   expected: refusal
#   found:    end
#   harness:  conformance run env:litellm --provider openai-responses --scenario errors.refusal --delivery blocking --rule common.parse.stop-reason
