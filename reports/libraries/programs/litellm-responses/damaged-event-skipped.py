# pip install litellm==1.110.2
# errors.damaged_in_text/stream:per-event on gemini, made smaller; the provider is here, too
# common.stream.damage-not-passed-over: An event of a stream that is no JSON is not passed over in…
#   at /stop in what the library makes of the last answer
#   expected: incomplete, an error, or all that was said
#   found:    end

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import litellm

ANSWERS = [
    (200, {"content-type": "text/event-stream; charset=utf-8"}, [
        b'data: {"candidates":[{"content":{"parts":[{"text":"Please "}]}}]}\n\n'
        b'data: {"candidates":[{"content":{"parts":[{"text":"do not "}]}}]}\n\n'
        b'data: {"candidates":[{"content":{"parts":[{"text":"delete "}],"role":"model"},"index":0}'
        b'],"usageMetadata":{"promptTokenCount":11,"totalTokenCount":11,"pro\n\n'
        b'data: {"candidates":[{"content":{"parts":[{"text":"it yet."}]}}]}\n\n'
        b'data: {"usageMetadata":{"promptTokenCount":11,"candidatesTokenCount":7}}\n\n',
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

answer = list(litellm.responses(
    model="gemini/gemini-3.1-pro-preview",
    input=[{"role": "user", "content": "May I delete the table?"}], max_output_tokens=1024,
    stream=True, api_base=BASE_URL + "/v1beta", api_key="test-key", max_retries=0,
))
print("<--", answer)
