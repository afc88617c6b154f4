# pip install any-llm-sdk[cohere]==1.40.2
# multi_turn.empty_answer/stream:per-event on openai-chat, made smaller; the provider is here, too
# chat.history.content-unless-calls: An assistant message without calls has content, be it an empt…
#   at /messages/1/content in the last request
#   expected: a text, be it empty
#   found:    null

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import any_llm
from any_llm.utils.streaming import accumulate_chunks

ANSWERS = [
    (200, {"content-type": "text/event-stream; charset=utf-8"}, [
        b'data: {"id":"chatcmpl-oGVzNx5iDumJxytPR8uUA4mp","created":1760000000,"model":"test-model'
        b'","choices":[{"index":0,"finish_reason":"stop","delta":{}}]}\n\n'
        b'data: {"id":"chatcmpl-oGVzNx5iDumJxytPR8uUA4mp","created":1760000000,"model":"test-model'
        b'","choices":[],"usage":{"prompt_tokens":11,"completion_tokens":7,"total_tokens":18}}\n\n',
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

def dumped_message(answer):
    return answer.choices[0].message.model_dump(exclude_none=True)

answer = list(any_llm.completion(
    model="test-model", messages=[{"role": "user", "content": "Save an empty list."}],
    max_tokens=1024, reasoning_effort="none", provider="openai", api_key="test-key",
    api_base=BASE_URL + "/v1", client_args={"max_retries": 0}, stream=True,
))
list(any_llm.completion(
    model="test-model",
    messages=[
        {"role": "user", "content": "Save an empty list."},
        dumped_message(accumulate_chunks(answer)),
    ],
    max_tokens=1024, reasoning_effort="none", provider="openai", api_key="test-key",
    api_base=BASE_URL + "/v1", client_args={"max_retries": 0}, stream=True,
))
