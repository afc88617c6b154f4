# pip install cohere==7.3.1
# errors.damaged_in_text/stream:per-event on cohere, made smaller; the provider is here, too
# common.stream.damage-not-passed-over: An event of a stream that is no JSON is not passed over in…
#   at /stop in what the library makes of the last answer
#   expected: incomplete, an error, or all that was said
#   found:    end

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from cohere import ClientV2

ANSWERS = [
    (200, {"content-type": "text/event-stream; charset=utf-8"}, [
        b'event: content-start\ndata: {"delta":{"message":{"content":{}}}}\n\n'
        b"event: content-delta\n"
        b'data: {"type":"content-delta","delta":{"message":{"content":{"text":"Please "}}}}\n\n'
        b"event: content-delta\n"
        b'data: {"type":"content-delta","delta":{"message":{"content":{"text":"do not "}}}}\n\n'
        b'event: content-delta\ndata: {"type":"content-delta","index":0,"delta":\n\n'
        b"event: content-delta\n"
        b'data: {"type":"content-delta","delta":{"message":{"content":{"text":"it yet."}}}}\n\n'
        b"event: message-end\n"
        b'data: {"type":"message-end","delta":{"finish_reason":"COMPLETE","usage":{"tokens":{"inpu'
        b't_tokens":11,"output_tokens":7}}}}\n\n',
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

client = ClientV2(
    "test-key", base_url=BASE_URL, max_retries=0, log_warning_experimental_features=False,
)
answer = list(client.chat_stream(
    model="test-model", messages=[{"role": "user", "content": "May I delete the table?"}],
    max_tokens=1024,
))
print("<--", answer)
