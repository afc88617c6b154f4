# pip install litellm==1.110.2
# errors.unexpected_tool_call/blocking on gemini, made smaller; the provider is here, too
# common.error.retryable-classified: HTTP/stream errors are classified: 408/409/429/5xx/529 (and s…
#   at /error in what the library makes of the last answer
#   expected: Unexpected tool call: Model tried to call an undeclared function.
#   found:    null

import asyncio
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import litellm

ANSWERS = [
    (200, {"content-type": "application/json"}, [
        b'{"candidates":[{"finishReason":"UNEXPECTED_TOOL_CALL","finishMessage":"Unexpected tool c'
        b'all: Model tried to call an undeclared function."}],"usageMetadata":{"promptTokenCount":'
        b'11,"candidatesTokenCount":7}}',
    ]),
]

class Provider(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        if "generateContent" not in self.path: return self.send_error(404)
        print(f"--> POST {self.path}\n{body}\n")
        status, headers, chunks = ANSWERS.pop(0) if len(ANSWERS) > 1 else ANSWERS[0]
        self.send_response(status)
        self.send_header("content-type", headers["content-type"])
        self.end_headers()
        self.wfile.write(b"".join(chunks))

server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
threading.Thread(target=server.serve_forever, daemon=True).start()
BASE_URL = f"http://127.0.0.1:{server.server_port}"

LOOP = asyncio.new_event_loop()

answer = LOOP.run_until_complete(litellm.anthropic.messages.acreate(
    model="gemini/gemini-3.1-pro-preview", max_tokens=1024,
    messages=[{"role": "user", "content": "Show the date."}], api_base=BASE_URL + "/v1beta",
    api_key="test-key", max_retries=0,
))
print("<--", answer)
