# pip install litellm==1.110.2
# errors.refusal/blocking on openai-responses, made smaller; the provider is here, too
# common.parse.stop-reason: Why an answer without calls ended is told as it was - by itself, at th…
#   at /stop in what the library makes of the last answer
#   expected: refusal
#   found:    end

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import litellm

ANSWERS = [
    (200, {"content-type": "application/json"}, [
        b'{"id":"resp_DzsQLnPBPYPGpiWZixMg9tF7piqF8wghF5GPXLwySrNhQpdU","created_at":1760000000,"o'
        b'utput":[{"id":"msg_bPytQ8n7NYpdCCQ7Rc86csdtzQPcacXUpR8uBLYzFnPhrwHA","type":"message","s'
        b'tatus":"completed","content":[{"type":"refusal","refusal":"I can\'t help with getting in'
        b'to other people\'s devices."}],"role":"assistant"}],"usage":{"input_tokens":11,"output_t'
        b'okens":7,"total_tokens":18}}',
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

answer = litellm.completion(
    model="openai/responses/gpt-5", api_base=BASE_URL + "/v1", api_key="test-key", max_retries=0,
    messages=[{"role": "user", "content": "Break into my neighbour's router."}], max_tokens=1024,
)
print("<--", answer)
