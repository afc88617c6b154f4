# pip install langchain-openai==1.7.3

# no_arguments.empty_text/blocking on openai-responses, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from langchain_core.messages import HumanMessage
from langchain_openai import ChatOpenAI

ANSWERS = [
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"id":"resp_XroGqLwKQiYTcjQ2Pra26FWpZMyFdgUuL2eJhBnfs6jQScbi","object":"response","created_'
             b'at":1760000000,"status":"completed","background":false,"completed_at":1760000002,"error":nu'
             b'll,"frequency_penalty":0.0,"incomplete_details":null,"instructions":null,"max_output_tokens'
             b'":null,"max_tool_calls":null,"model":"test-model","output":[{"id":"fc_3AHUPqqZrtQ4uvxjQGYEg'
             b'anyM26iDVsbxm7aAvFowSTNuZP5","type":"function_call","status":"completed","arguments":"","ca'
             b'll_id":"call_3d2gGCVYeFSU4fxEDiJE8Gk3","name":"git_status"}],"parallel_tool_calls":true,"pr'
             b'esence_penalty":0.0,"previous_response_id":null,"prompt_cache_key":null,"prompt_cache_reten'
             b'tion":null,"reasoning":{"effort":null,"summary":null},"safety_identifier":null,"service_tie'
             b'r":"default","store":true,"temperature":1.0,"text":{"format":{"type":"text"},"verbosity":"m'
             b'edium"},"tool_choice":"auto","tools":[],"top_logprobs":0,"top_p":1.0,"truncation":"disabled'
             b'","usage":{"input_tokens":11,"input_tokens_details":{"cache_write_tokens":0,"cached_tokens"'
             b':0},"output_tokens":7,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":18},"us'
             b'er":null,"metadata":{}}'),
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

model = ChatOpenAI(
    model="test-model",
    api_key="test-key",
    base_url=BASE_URL + "/v1",
    max_tokens=1024,
    max_retries=0,
    stream_usage=True,
    use_responses_api=True,
)

messages = [HumanMessage("Is the tree clean?")]
tools = [
    {
        "type": "function",
        "function": {
            "name": "git_status",
            "description": "Show the state of the working tree",
            "parameters": {
                "type": "object",
                "properties": {"path": {"type": "string", "description": "Only below this path"}},
            },
            "strict": False,
        },
    },
]


def ask():
    return model.bind_tools(tools=tools).invoke(messages)


answer = ask()
print(f"\n<-- {answer!r}")

# common.parse.empty-arguments: A call without arguments ("", "{}", {}, missing, null where the wire allows)
#   parses to args == {} and is not dropped.
#   at:       /calls/0/arguments in what the library makes of answer 1
#   expected: {}
#   found:    ""
#   harness:  conformance run env:langchain-openai --provider openai-responses --scenario no_arguments.empty_text --delivery blocking --rule common.parse.empty-arguments
