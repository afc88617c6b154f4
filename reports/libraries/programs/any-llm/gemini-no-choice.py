# pip install any-llm-sdk[gemini]==1.40.2
# errors.malformed_function_call/blocking on gemini, made smaller; the provider is here, too
# common.adapter.completes: Every operation that the adapter declares returns a value of the right…
#   at (whole) in what the library makes of the last answer
#   expected: a turn from complete
#   found:    complete raised IndexError: list index out of range

import asyncio
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import any_llm
from google.genai.types import HttpOptions

ANSWERS = [
    (200, {"content-type": "application/json"}, [
        b'{"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL","finishMessage":"Malformed func'
        b'tion call: print(default_api."}],"usageMetadata":{"promptTokenCount":11,"candidatesToken'
        b'Count":7}}',
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

client = any_llm.AnyLLM.create(
    "gemini", api_key="test-key", api_base=BASE_URL, http_options=HttpOptions(base_url=BASE_URL),
)
answer = LOOP.run_until_complete(client.acompletion(
    model="gemini-3.1-pro-preview", messages=[{"role": "user", "content": "Show the date."}],
    max_tokens=1024, reasoning_effort="auto",
))
print("<--", answer)
