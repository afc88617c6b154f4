# pip install langchain-openai==1.7.3

# errors.stream_error_in_arguments/stream:per-event on openai-responses, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from langchain_core.messages import HumanMessage
from langchain_core.messages.utils import message_chunk_to_message
from langchain_openai import ChatOpenAI

ANSWERS = [
    (
        200,
        {"content-type": "text/event-stream; charset=utf-8"},
        [
            (b"event: response.created\n"
             b'data: {"type":"response.created","sequence_number":0,"response":{"id":"resp_CErMkLXvjDKecP2'
             b'GKn9DsbuJ3euHBpPFdXJfUuqC5C93dFEo","object":"response","created_at":1760000000,"status":"in'
             b'_progress","background":false,"completed_at":null,"error":null,"frequency_penalty":0.0,"inc'
             b'omplete_details":null,"instructions":null,"max_output_tokens":null,"max_tool_calls":null,"m'
             b'odel":"test-model","output":[],"parallel_tool_calls":true,"presence_penalty":0.0,"previous_'
             b'response_id":null,"prompt_cache_key":null,"prompt_cache_retention":null,"reasoning":{"effor'
             b't":null,"summary":null},"safety_identifier":null,"service_tier":"default","store":true,"tem'
             b'perature":1.0,"text":{"format":{"type":"text"},"verbosity":"medium"},"tool_choice":"auto","'
             b'tools":[],"top_logprobs":0,"top_p":1.0,"truncation":"disabled","usage":null,"user":null,"me'
             b'tadata":{}}}\n\n'),
            (b"event: response.in_progress\n"
             b'data: {"type":"response.in_progress","sequence_number":1,"response":{"id":"resp_CErMkLXvjDK'
             b'ecP2GKn9DsbuJ3euHBpPFdXJfUuqC5C93dFEo","object":"response","created_at":1760000000,"status"'
             b':"in_progress","background":false,"completed_at":null,"error":null,"frequency_penalty":0.0,'
             b'"incomplete_details":null,"instructions":null,"max_output_tokens":null,"max_tool_calls":nul'
             b'l,"model":"test-model","output":[],"parallel_tool_calls":true,"presence_penalty":0.0,"previ'
             b'ous_response_id":null,"prompt_cache_key":null,"prompt_cache_retention":null,"reasoning":{"e'
             b'ffort":null,"summary":null},"safety_identifier":null,"service_tier":"default","store":true,'
             b'"temperature":1.0,"text":{"format":{"type":"text"},"verbosity":"medium"},"tool_choice":"aut'
             b'o","tools":[],"top_logprobs":0,"top_p":1.0,"truncation":"disabled","usage":null,"user":null'
             b',"metadata":{}}}\n\n'),
            (b"event: response.output_item.added\n"
             b'data: {"type":"response.output_item.added","sequence_number":2,"output_index":0,"item":{"id'
             b'":"fc_dgbwX6vbq3BQY37Gd6UNVhYAXrA4cTbt5ZSzYUdfwqWVTGHo","type":"function_call","status":"in'
             b'_progress","arguments":"","call_id":"call_zTe5TDrD9baACwGRUtqifcSU","name":"run_shell_comma'
             b'nd"}}\n\n'),
            (b"event: response.function_call_arguments.delta\n"
             b'data: {"type":"response.function_call_arguments.delta","sequence_number":3,"item_id":"fc_dg'
             b'bwX6vbq3BQY37Gd6UNVhYAXrA4cTbt5ZSzYUdfwqWVTGHo","output_index":0,"delta":"{\\"command\\":\\'
             b'"r"}\n\n'),
            (b"event: response.function_call_arguments.delta\n"
             b'data: {"type":"response.function_call_arguments.delta","sequence_number":4,"item_id":"fc_dg'
             b'bwX6vbq3BQY37Gd6UNVhYAXrA4cTbt5ZSzYUdfwqWVTGHo","output_index":0,"delta":"m -rf /srv/ap"}\n'
             b"\n"),
            (b"event: response.failed\n"
             b'data: {"type":"response.failed","sequence_number":5,"response":{"id":"resp_CErMkLXvjDKecP2G'
             b'Kn9DsbuJ3euHBpPFdXJfUuqC5C93dFEo","object":"response","created_at":1760000000,"status":"fai'
             b'led","background":false,"completed_at":null,"error":{"code":"server_error","message":"Inter'
             b'nal error"},"frequency_penalty":0.0,"incomplete_details":null,"instructions":null,"max_outp'
             b'ut_tokens":null,"max_tool_calls":null,"model":"test-model","output":[],"parallel_tool_calls'
             b'":true,"presence_penalty":0.0,"previous_response_id":null,"prompt_cache_key":null,"prompt_c'
             b'ache_retention":null,"reasoning":{"effort":null,"summary":null},"safety_identifier":null,"s'
             b'ervice_tier":"default","store":true,"temperature":1.0,"text":{"format":{"type":"text"},"ver'
             b'bosity":"medium"},"tool_choice":"auto","tools":[],"top_logprobs":0,"top_p":1.0,"truncation"'
             b':"disabled","usage":null,"user":null,"metadata":{}}}\n\n'),
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

messages = [HumanMessage("Clean up.")]
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
            "strict": False,
        },
    },
]


def ask():
    whole = None
    for chunk in model.bind_tools(tools=tools).stream(messages):
        whole = chunk if whole is None else whole + chunk
    return message_chunk_to_message(whole)


answer = ask()
print(f"\n<-- {answer!r}")

# common.adapter.completes: Every operation that the adapter declares returns a value of the right type, within
#   the time limit and without raising.
#   at:       (whole) in what the library makes of answer 1
#   expected: a turn from complete
#   found:    complete raised ValueError: ResponseError(code='server_error', message='Internal error', misalignment=None, param=None, type=None)
#   harness:  conformance run env:langchain-openai --provider openai-responses --scenario errors.stream_error_in_arguments --delivery stream:per-event --rule common.adapter.completes
