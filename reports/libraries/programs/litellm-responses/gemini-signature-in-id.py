# pip install litellm[mcp]==1.106.2

# reasoning.one_call/blocking on gemini, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import litellm

ANSWERS = [
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"candidates":[{"content":{"parts":[{"text":"I should compare the system time with a time s'
             b'erver.","thought":true},{"functionCall":{"name":"run_shell_command","args":{"command":"chro'
             b'nyc tracking"},"id":"px4os9yf"},"thoughtSignature":"+/9GwN4lEHFoyLMxNwx1j8Hgb1x/UZt8Vxpi1wO'
             b"I1IpIR+1pkoZYScHNnNHJIYkejWCkfFLjkHp7K2x147uZCn9SEVsH6y6NP5DkcoUFpCeZt85wW7jM7G/c669aVUV6ic"
             b'Y="}],"role":"model"},"finishReason":"STOP","index":0,"finishMessage":"Model generated func'
             b'tion call(s)."}],"usageMetadata":{"promptTokenCount":11,"candidatesTokenCount":7,"totalToke'
             b'nCount":18},"modelVersion":"test-model","responseId":"mq9Drqgd7xVqknUcmh44dA"}'),
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

items = [{"role": "user", "content": "Is the clock right?"}]
tools = [
    {
        "type": "function",
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
]


def ask():
    return litellm.responses(
        model="gemini/gemini-3.1-pro-preview",
        input=items,
        max_output_tokens=1024,
        tools=tools,
        reasoning={"effort": "medium", "summary": "auto"},
        include=["reasoning.encrypted_content"],
        store=False,
        api_base=BASE_URL + "/v1beta",
        api_key="test-key",
        max_retries=0,
    )


answer = ask()
print(f"\n<-- {answer!r}")

# gemini.parse.function-call-parts: Calls are the functionCall of every part in candidates[0].content, wherever
#   it stands, each with its id and name.
#   at:       /calls/0/id in what the library makes of answer 1
#   expected: px4os9yf
#   found:    px4os9yf__thought__+/9GwN4lEHFoyLMxNwx1j8Hgb1x/UZt8Vxpi1wOI1IpIR+1pkoZYScHNnNHJIYkejWCkfFLjkHp7K2x147uZCn9SEVsH6y6NP5DkcoUFpCeZt85wW7jM7G/c669aVUV6icY=
#   harness:  conformance run env:litellm-responses --provider gemini --scenario reasoning.one_call --delivery blocking --rule gemini.parse.function-call-parts
