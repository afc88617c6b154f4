# pip install aisuite[mcp,mistral]==0.2.0
# arguments.object_or_text/blocking on mistral, made smaller; the provider is here, too
# common.parse.args-decoded-object: Every parsed call exposes arguments as a decoded JSON object e…
#   at (whole) in what the library makes of the last answer
#   expected: the turn that the provider sent
#   found:    complete raised LLMError: An error occurred: 1 validation error for ChatComplet…

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from aisuite import Client

ANSWERS = [
    (200, {"content-type": "application/json"}, [
        b'{"id":"chatcmpl-ndyqDhKAoBeDPvJFQZ9BkyFE","object":"chat.completion","created":176000000'
        b'0,"model":"test-model","choices":[{"index":0,"message":{"content":"","tool_calls":[{"fun'
        b'ction":{"name":"read_file","arguments":{"absolute_path":"/srv/docs/guide.md","limit":3}}'
        b'}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":11,"completion_tokens":7}}',
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

client = Client({"mistral": {"api_key": "test-key", "server_url": BASE_URL}})
answer = client.chat.completions.create(
    model="mistral:test-model",
    messages=[{"role": "user", "content": "Read the first lines of the guide."}], max_tokens=1024,
)
print("<--", answer)
