# pip install aisuite[gemini,mcp]==0.2.0

# tool_choice.none/blocking on gemini, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import aisuite
from google.genai import types

ANSWERS = [
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"candidates":[{"content":{"parts":[{"text":"With `ls -a`."}],"role":"model"},"finishReason'
             b'":"STOP","index":0}],"usageMetadata":{"promptTokenCount":11,"candidatesTokenCount":7,"total'
             b'TokenCount":18},"modelVersion":"test-model","responseId":"FZjXxZ9NVw28PveAhNyt6p"}'),
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
client = aisuite.Client({"gemini": {"api_key": "test-key", "http_options": options}})

messages = [{"role": "user", "content": "How would you list hidden files?"}]
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
    return client.chat.completions.create(
        model="gemini:test-model",
        messages=messages,
        max_tokens=1024,
        tools=tools,
        tool_choice="none",
    )


answer = ask()
print(f"\n<-- {answer!r}")

# gemini.choose.mode-mapping: auto->AUTO or VALIDATED (or nothing), required->ANY, none->NONE, forced->ANY +
#   allowedFunctionNames:[name] under toolConfig.functionCallingConfig; names only with ANY or VALIDATED. The
#   mode may be in any case, or a number.
#   at:       /toolConfig/functionCallingConfig in request 1
#   expected: NONE
#   found:    AUTO
#   harness:  conformance run env:aisuite --provider gemini --scenario tool_choice.none --delivery blocking --rule gemini.choose.mode-mapping
