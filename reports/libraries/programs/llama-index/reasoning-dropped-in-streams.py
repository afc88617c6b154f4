# pip install llama-index-core==0.14.25 llama-index-llms-openai llama-index-llms-anthropic \
#   'anthropic<1'
# relations.thinking/blocking on openai-responses, made smaller; the provider is here, too
# common.http.stream-changes-nothing-else: Asking for a stream changes only what says so.
#   at /input/1 in the last request
#   expected: {"type": "reasoning", "id": "rs_YrSupd36AkkiA4rFPJNEfRddiSW8qCNcHQgySyQz8Hd3SZJ…
#   found:    nothing

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from llama_index.core.base.llms.types import ChatMessage
from llama_index.llms.openai import OpenAIResponses

ANSWERS = [
    (200, {"content-type": "text/event-stream; charset=utf-8"}, [
        b"event: response.completed\n"
        b'data: {"type":"response.completed","response":{"usage":{"input_tokens":11,"output_tokens'
        b'":7}}}\n\n',
    ]),
]

class Provider(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        if "responses" not in self.path: return self.send_error(404)
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
    max_output_tokens=1024, model="gpt-5", api_key="test-key", api_base=BASE_URL + "/v1",
    max_retries=0, reasoning_options={"effort": "medium", "summary": "auto"}, store=True,
)
list(model.stream_chat(messages=[ChatMessage(role="user", content="Which port is set?")]))
