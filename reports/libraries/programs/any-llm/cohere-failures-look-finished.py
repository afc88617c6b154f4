# pip install any-llm-sdk[cohere]==1.40.2
# cohere.stopped_by_the_host/blocking on cohere, made smaller; the provider is here, too
# common.error.retryable-classified: HTTP/stream errors are classified: 408/409/429/5xx/529 (and s…
#   at /error in what the library makes of the last answer
#   expected: the provider stopped: ERROR
#   found:    null

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import any_llm

ANSWERS = [
    (200, {"content-type": "application/json"}, [
        b'{"id":"trSwobjVhbm684eFqyoj2Mms","message":{"role":"assistant"},"finish_reason":"ERROR",'
        b'"usage":{"tokens":{"input_tokens":11,"output_tokens":7}}}',
    ]),
]

class Provider(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        if "chat" not in self.path: return self.send_error(404)
        print(f"--> POST {self.path}\n{body}\n")
        status, headers, chunks = ANSWERS.pop(0) if len(ANSWERS) > 1 else ANSWERS[0]
        self.send_response(status)
        self.send_header("content-type", headers["content-type"])
        self.end_headers()
        self.wfile.write(b"".join(chunks))

server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
threading.Thread(target=server.serve_forever, daemon=True).start()
BASE_URL = f"http://127.0.0.1:{server.server_port}"

answer = any_llm.completion(
    model="test-model", messages=[{"role": "user", "content": "Tell me everything about TCP."}],
    max_tokens=1024, reasoning_effort="none", provider="cohere", api_key="test-key",
    api_base=BASE_URL, client_args={"base_url": BASE_URL},
)
print("<--", answer)
