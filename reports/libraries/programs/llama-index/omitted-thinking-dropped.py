# pip install llama-index-core==0.14.25 llama-index-llms-openai llama-index-llms-anthropic \
#   'anthropic<1'
# reasoning.omitted/blocking on anthropic, made smaller; the provider is here, too
# anthropic.history.thinking-blocks-verbatim: thinking{thinking,signature} and redacted_thinking{d…
#   at /messages/1 in the last request
#   expected: {"type": "thinking", "thinking": "", "signature": "+/+5S+I6L5k195BDb/bTFuCurLWt…
#   found:    []

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from llama_index.core.base.llms.types import ChatMessage
from llama_index.llms.anthropic import Anthropic

ANSWERS = [
    (200, {"content-type": "application/json"}, [
        b'{"content":[{"type":"thinking","thinking":"","signature":"+/+5S+I6L5k195BDb/bTFuCurLWtNO'
        b"ODHoslgyCd4n4jMFhyhyBjJ8vjGY7JCRlOKXcksZiiUfg5Hp1/jE/Ebcmc6XSpAJ8jx5vLBLlA7MOqhEFlNCxioO"
        b'hzwhtBAWZ20iw="}],"usage":{"input_tokens":11,"output_tokens":7}}',
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

model = Anthropic(
    model="claude-sonnet-4-20250514", max_retries=0, max_tokens=1024, api_key="test-key",
    base_url=BASE_URL,
)
answer = model.chat(messages=[ChatMessage(
    role="user", content="When does the library open tomorrow?",
)])
model.chat(messages=[
    ChatMessage(role="user", content="When does the library open tomorrow?"), answer.message,
])
