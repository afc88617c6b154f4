# pip install litellm==1.110.2
# tool_choice.one_at_a_time/blocking on azure, made smaller; the provider is here, too
# chat.choose.parallel-disabled: Disabling parallel calls is top-level parallel_tool_calls:false (…
#   at /parallel_tool_calls in the last request
#   expected: false
#   found:    null

import asyncio
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import litellm

ANSWERS = [
    (200, {"content-type": "application/json"}, [
        b'{"choices":[{"message":{"content":""}}],"usage":{"prompt_tokens":11,"completion_tokens":'
        b"7}}",
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

LOOP.run_until_complete(litellm.anthropic.messages.acreate(
    model="azure/gpt-4.1", max_tokens=1024,
    messages=[{"role": "user", "content": "Read a.txt, then b.txt."}],
    tools=[{"name": "read_file", "description": "Read a file", "input_schema": {"type": "object"}}],
    tool_choice={"type": "auto", "disable_parallel_tool_use": True}, api_base=BASE_URL,
    api_key="test-key", max_retries=0, api_version="2024-10-21",
))
