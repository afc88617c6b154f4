# pip install any-llm-sdk[cohere,gemini]==1.40.2
# multi_turn.empty_answer/stream:per-event on gemini, made smaller; the provider is here, too
# gemini.history.contents-container: The conversation is contents[] with parts[]: no messages, inp…
#   at /contents/1/parts/0 in the last request
#   expected: a part such as {text: ...}
#   found:    {}

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import any_llm
from any_llm.utils.streaming import accumulate_chunks
from google.genai.types import HttpOptions

ANSWERS = [
    (200, {"content-type": "text/event-stream; charset=utf-8"}, [
        b'data: {"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":11,"ca'
        b'ndidatesTokenCount":7}}\n\n',
    ]),
]

class Provider(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        if "streamGenerateContent" not in self.path: return self.send_error(404)
        print(f"--> POST {self.path}\n{body}\n")
        status, headers, chunks = ANSWERS.pop(0) if len(ANSWERS) > 1 else ANSWERS[0]
        self.send_response(status)
        self.send_header("content-type", headers["content-type"])
        self.end_headers()
        self.wfile.write(b"".join(chunks))

server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
threading.Thread(target=server.serve_forever, daemon=True).start()
BASE_URL = f"http://127.0.0.1:{server.server_port}"

def dumped_message(answer):
    return answer.choices[0].message.model_dump(exclude_none=True)

answer = list(any_llm.completion(
    model="gemini-3.1-pro-preview", messages=[{"role": "user", "content": "Save an empty list."}],
    max_tokens=1024, reasoning_effort="auto", provider="gemini", api_key="test-key",
    api_base=BASE_URL, client_args={"http_options": HttpOptions(base_url=BASE_URL)}, stream=True,
))
list(any_llm.completion(
    model="gemini-3.1-pro-preview",
    messages=[
        {"role": "user", "content": "Save an empty list."},
        dumped_message(accumulate_chunks(answer)),
    ],
    max_tokens=1024, reasoning_effort="auto", provider="gemini", api_key="test-key",
    api_base=BASE_URL, client_args={"http_options": HttpOptions(base_url=BASE_URL)}, stream=True,
))
