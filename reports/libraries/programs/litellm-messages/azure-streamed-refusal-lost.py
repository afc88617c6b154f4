# pip install litellm==1.110.2
# errors.refusal/stream:per-event on azure, made smaller; the provider is here, too
# common.stream.equivalent-to-non-stream: A stream is understood as the same turn (text, calls, id…
#   at /text in what the library makes of the last answer
#   expected: I can't help with getting into other people's devices.
#   found:    ""

import asyncio
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import litellm

ANSWERS = [
    (200, {"content-type": "text/event-stream; charset=utf-8"}, [
        b'data: {"choices":[{"delta":{"refusal":"I can\'t help w"}}]}\n\n'
        b'data: {"choices":[{"delta":{"refusal":"ith getting in"}}]}\n\n'
        b'data: {"choices":[{"delta":{"refusal":"to other peopl"}}]}\n\n'
        b'data: {"choices":[{"delta":{"refusal":"e\'s devices."}}]}\n\n'
        b'data: {"choices":[{"finish_reason":"stop"}]}\n\n'
        b'data: {"usage":{"prompt_tokens":11,"completion_tokens":7}}\n\n',
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

LOOP = asyncio.new_event_loop()

async def collected(items):
    return [item async for item in await items]

answer = LOOP.run_until_complete(collected(litellm.anthropic.messages.acreate(
    model="azure/gpt-4.1", max_tokens=1024,
    messages=[{"role": "user", "content": "Break into my neighbour's router."}], stream=True,
    api_base=BASE_URL, api_key="test-key", max_retries=0, api_version="2024-10-21",
)))
print("<--", answer)
