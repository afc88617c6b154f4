# pip install openai==3.54.0

# errors.stream_error_in_arguments/stream:per-event on xai, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import openai
from openai.lib.streaming.chat import ChatCompletionStreamState

ANSWERS = [
    (
        200,
        {"content-type": "text/event-stream; charset=utf-8"},
        [
            (b'data: {"id":"chatcmpl-CErMkLXvjDKecP2GKn9DsbuJ","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"delta":{"role":"assistant","content"'
             b':""}}]}\n\n'),
            (b'data: {"id":"chatcmpl-CErMkLXvjDKecP2GKn9DsbuJ","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id'
             b'":"call_zTe5TDrD","type":"function","function":{"name":"run_shell_command","arguments":"{\\'
             b'"command\\":\\"rm -rf /srv/app/build /srv/app/dist\\"}"}}]}}]}\n\n'),
            b'data: {"code":"Internal error","error":"Internal error"}\n\n',
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

client = openai.OpenAI(api_key="test-key", base_url=BASE_URL + "/v1", max_retries=0)

messages = [{"role": "user", "content": "Clean up."}]
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
    state = ChatCompletionStreamState()
    for chunk in client.chat.completions.create(
        model="test-model",
        messages=messages,
        max_completion_tokens=1024,
        tools=tools,
        stream=True,
        stream_options={"include_usage": True},
    ):
        state.handle_chunk(chunk)
    return state.current_completion_snapshot


try:
    answer = ask()
    print(f"\n<-- {answer!r}")
except Exception as problem:
    print(f"\n<-- {problem!r}\n    {vars(problem)}")

# common.error.retryable-classified: HTTP/stream errors are classified: 408/409/429/5xx/529 (and stream
#   overloaded_error) retryable, other 4xx not; retry-after honoured.
#   at:       /error/retryable in what the library makes of answer 1
#   expected: true
#   found:    null
#   harness:  conformance run env:openai --provider xai --scenario errors.stream_error_in_arguments --delivery stream:per-event --rule common.error.retryable-classified
