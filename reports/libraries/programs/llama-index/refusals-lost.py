# pip install llama-index-core==0.14.25 llama-index-llms-openai llama-index-llms-anthropic \
#   'anthropic<1'
# quirks.choice_after_the_end/stream:per-event on openai-chat, made smaller; the provider is here,…
# common.stream.equivalent-to-non-stream: A stream is understood as the same turn (text, calls, id…
#   at /refusal in what the library makes of the last answer
#   expected: I will not write that for you.
#   found:    null

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from llama_index.core.base.llms.types import ChatMessage
from llama_index.llms.openai import OpenAI

ANSWERS = [
    (200, {"content-type": "text/event-stream; charset=utf-8"}, [
        b'data: {"choices":[{"delta":{"refusal":"I will n"}}]}\n\n'
        b'data: {"choices":[{"delta":{"refusal":"ot write"}}]}\n\n'
        b'data: {"choices":[{"delta":{"refusal":" that fo"}}]}\n\n'
        b'data: {"choices":[{"delta":{"refusal":"r you."}}]}\n\n'
        b'data: {"choices":[{"finish_reason":"stop","delta":{}}]}\n\n'
        b'data: {"choices":[],"usage":{"prompt_tokens":11,"completion_tokens":7}}\n\n',
    ]),
]

class Provider(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        if "completions" not in self.path: return self.send_error(404)
        print(f"--> POST {self.path}\n{body}\n")
        status, headers, chunks = ANSWERS.pop(0) if len(ANSWERS) > 1 else ANSWERS[0]
        self.send_response(status)
        self.send_header("content-type", headers["content-type"])
        self.end_headers()
        self.wfile.write(b"".join(chunks))

server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
threading.Thread(target=server.serve_forever, daemon=True).start()
BASE_URL = f"http://127.0.0.1:{server.server_port}"

model = OpenAI(
    max_tokens=1024, model="gpt-4.1", api_key="test-key", api_base=BASE_URL + "/v1", max_retries=0,
)
answer = list(model.stream_chat(messages=[ChatMessage(role="user", content="Read a.txt.")]))
print("<--", answer)
