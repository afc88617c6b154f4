# pip install litellm==1.110.2
# reasoning.omitted/stream:per-event on anthropic, made smaller; the provider is here, too
# anthropic.history.thinking-blocks-verbatim: thinking{thinking,signature} and redacted_thinking{d…
#   at /messages/1 in the last request
#   expected: {"type": "thinking", "thinking": "", "signature": "+/+5S+I6L5k195BDb/bTFuCurLWt…
#   found:    ["tool_use"]

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import litellm

ANSWERS = [
    (200, {"content-type": "text/event-stream; charset=utf-8"}, [
        b"event: message_delta\n"
        b'data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens"'
        b':11,"output_tokens":7}}\n\n',
    ]),
]

class Provider(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        if "messages" not in self.path: return self.send_error(404)
        print(f"--> POST {self.path}\n{body}\n")
        status, headers, chunks = ANSWERS.pop(0) if len(ANSWERS) > 1 else ANSWERS[0]
        self.send_response(status)
        self.send_header("content-type", headers["content-type"])
        self.end_headers()
        self.wfile.write(b"".join(chunks))

server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
threading.Thread(target=server.serve_forever, daemon=True).start()
BASE_URL = f"http://127.0.0.1:{server.server_port}"

list(litellm.responses(
    model="anthropic/claude-sonnet-4-5",
    input=[
        {"role": "user", "content": "When does the library open tomorrow?"},
        {
            "type": "function_call", "call_id": "toolu_QU8Byq6VgL7UrY6DBLC59Tgb",
            "name": "read_file", "arguments": "{}",
        },
        {
            "type": "function_call_output", "call_id": "toolu_QU8Byq6VgL7UrY6DBLC59Tgb",
            "output": "Tuesday: see holidays.md\n",
        },
    ],
    max_output_tokens=1024, stream=True, api_base=BASE_URL, api_key="test-key", max_retries=0,
))
