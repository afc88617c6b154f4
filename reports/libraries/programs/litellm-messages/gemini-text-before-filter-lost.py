# pip install litellm==1.110.2
# errors.refusal_after_text/stream:per-event on gemini, made smaller; the provider is here, too
# common.stream.equivalent-to-non-stream: A stream is understood as the same turn (text, calls, id…
#   at /text in what the library makes of the last answer
#   expected: ""
#   found:    The exploit abuses an unchecked length.

import asyncio
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import litellm

ANSWERS = [
    (200, {"content-type": "text/event-stream; charset=utf-8"}, [
        b'data: {"candidates":[{"content":{"parts":[{"text":"The exploi"}]}}]}\n\n'
        b'data: {"candidates":[{"content":{"parts":[{"text":"t abuses a"}]}}]}\n\n'
        b'data: {"candidates":[{"content":{"parts":[{"text":"n unchecke"}]}}]}\n\n'
        b'data: {"candidates":[{"content":{"parts":[{"text":"d length."}]}}]}\n\n'
        b'data: {"candidates":[{"finishReason":"SAFETY","finishMessage":"I can\'t run it."}],"usag'
        b'eMetadata":{"promptTokenCount":11,"candidatesTokenCount":7}}\n\n',
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

LOOP = asyncio.new_event_loop()

async def collected(items):
    return [item async for item in await items]

answer = LOOP.run_until_complete(collected(litellm.anthropic.messages.acreate(
    model="gemini/gemini-3.1-pro-preview", max_tokens=1024,
    messages=[{"role": "user", "content": "Explain the exploit, then run it."}], stream=True,
    api_base=BASE_URL + "/v1beta", api_key="test-key", max_retries=0,
)))
print("<--", answer)
