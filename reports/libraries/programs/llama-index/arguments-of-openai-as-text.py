# pip install llama-index-core==0.14.25 llama-index-llms-openai llama-index-llms-anthropic \
#   'anthropic<1'
# handoff.three_thinkers/blocking on anthropic, made smaller; the provider is here, too
# anthropic.history.assistant-content-replayed: What the model said is replayed block by block in …
#   at /messages/1/content/0/input in the last request
#   expected: an object
#   found:    "{\"absolute_path\":\"/srv/third.yaml\"}"

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from llama_index.core.base.llms.types import ChatMessage
from llama_index.llms.openai import OpenAIResponses

ANSWERS = [
    (200, {"content-type": "application/json"}, [
        b'{"content":[],"stop_reason":"end_turn","usage":{"input_tokens":11,"output_tokens":7}}',
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

model = OpenAIResponses(
    max_output_tokens=1024, model="gpt-4.1", api_key="test-key", api_base=BASE_URL + "/v1",
    max_retries=0,
)
model.chat(messages=[
    ChatMessage(role="user", content="Which of the three configs is in use?"),
    ChatMessage(role="assistant", blocks=[]), ChatMessage(role="assistant", blocks=[]),
])
