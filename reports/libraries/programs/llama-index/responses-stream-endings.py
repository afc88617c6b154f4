# pip install llama-index-core==0.14.25 llama-index-llms-openai llama-index-llms-anthropic \
#   'anthropic<1'
# errors.content_filter/stream:per-event on openai-responses, made smaller; the provider is here, …
# common.stream.equivalent-to-non-stream: A stream is understood as the same turn (text, calls, id…
#   at /text in what the library makes of the last answer
#   expected: The picture shows
#   found:    ""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from llama_index.core.base.llms.types import ChatMessage
from llama_index.llms.openai import OpenAIResponses

ANSWERS = [
    (200, {"content-type": "text/event-stream; charset=utf-8"}, [
        b"event: response.incomplete\n"
        b'data: {"type":"response.incomplete","response":{"incomplete_details":{"reason":"content_'
        b'filter"},"output":[{"type":"message","content":[{"type":"output_text","text":"The pictur'
        b'e shows"}]}],"usage":{"input_tokens":11,"output_tokens":7}}}\n\n',
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
    max_output_tokens=1024, model="gpt-4.1", api_key="test-key", api_base=BASE_URL + "/v1",
    max_retries=0,
)
answer = list(model.stream_chat(messages=[ChatMessage(
    role="user", content="Describe the picture in detail.",
)]))
print("<--", answer)
