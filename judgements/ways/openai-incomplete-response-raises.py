# pip install openai==3.57.0
# errors.content_filter/stream:per-event@parse on openai-responses, made smaller; the provider is …
# responses.stream.terminal-and-error: A stream ends with response.completed, response.incomplete,…
#   at /stop in what the library makes of the last answer
#   expected: refusal
#   found:    incomplete

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from openai import OpenAI

ANSWERS = [
    (200, {"content-type": "text/event-stream; charset=utf-8", "transfer-encoding": "chunked"}, [
        b'event: response.created\ndata: {"type":"response.created","response":{}}\n\n',
        b"event: response.incomplete\n"
        b'data: {"type":"response.incomplete","response":{"status":"incomplete","incomplete_detail'
        b's":{"reason":"content_filter"},"usage":{"input_tokens":11,"output_tokens":7}}}\n\n',
    ]),
]

class Provider(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        if "responses" not in self.path: return self.send_error(404)
        print(f"--> POST {self.path}\n{body}\n")
        status, headers, chunks = ANSWERS.pop(0) if len(ANSWERS) > 1 else ANSWERS[0]
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        for chunk in [*chunks, b""]:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))

server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
threading.Thread(target=server.serve_forever, daemon=True).start()
BASE_URL = f"http://127.0.0.1:{server.server_port}"

def final_response(client, **asked):
    with client.responses.stream(**asked) as events:
        return events.get_final_response()

answer = final_response(
    OpenAI(api_key="test-key", base_url=BASE_URL + "/v1", max_retries=0), model="test-model",
    input=[{"role": "user", "content": "Describe the picture in detail."}], max_output_tokens=1024,
)
print("<--", answer)
