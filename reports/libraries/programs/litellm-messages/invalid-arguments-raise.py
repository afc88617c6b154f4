# pip install litellm==1.110.2
# no_arguments.null_text/blocking on azure, made smaller; the provider is here, too
# common.parse.empty-arguments: A call without arguments ("", "{}", {}, missing, null where the wi…
#   at (whole) in what the library makes of the last answer
#   expected: the turn that the provider sent
#   found:    complete raised ValidationError: 1 validation error for AnthropicResponseConten…

import asyncio
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import litellm

ANSWERS = [
    (200, {"content-type": "application/json"}, [
        b'{"choices":[{"message":{"tool_calls":[{"function":{"name":"git_status","arguments":"null'
        b'"}}]}}],"usage":{"prompt_tokens":11,"completion_tokens":7}}',
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

answer = LOOP.run_until_complete(litellm.anthropic.messages.acreate(
    model="azure/gpt-4.1", max_tokens=1024,
    messages=[{"role": "user", "content": "Is the tree clean?"}], api_base=BASE_URL,
    api_key="test-key", max_retries=0, api_version="2024-10-21",
))
print("<--", answer)
