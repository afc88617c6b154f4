# pip install aisuite[gemini,mcp]==0.2.0
# relations.calls_forbidden/blocking on gemini, made smaller; the provider is here, too
# common.choose.forbidden-at-any-time: Calls are forbidden where the application forbids them, at …
#   at /toolConfig/functionCallingConfig in the last request
#   expected: NONE
#   found:    AUTO

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from aisuite import Client
from google.genai.types import HttpOptions

ANSWERS = [
    (200, {"content-type": "application/json"}, [
        b'{"usageMetadata":{"promptTokenCount":11,"candidatesTokenCount":7}}',
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

client = Client({"gemini": {"api_key": "test-key", "http_options": HttpOptions(base_url=BASE_URL)}})
client.chat.completions.create(
    model="gemini:test-model", messages=[{"role": "user", "content": "Copy a.txt to b.txt."}],
    max_tokens=1024,
    tools=[{
        "type": "function",
        "function": {
            "name": "write_file", "description": "Write a file", "parameters": {"type": "object"},
        },
    }],
)
