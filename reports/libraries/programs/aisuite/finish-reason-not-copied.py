# pip install aisuite[mcp,openai]==0.2.0
# errors.length_in_text/blocking on deepseek, made smaller; the provider is here, too
# common.parse.stop-reason: Why an answer without calls ended is told as it was - by itself, at th…
#   at /stop in what the library makes of the last answer
#   expected: length
#   found:    end

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import aisuite
from aisuite.providers.deepseek_provider import DeepseekProvider

ANSWERS = [
    (200, {"content-type": "application/json"}, [
        b'{"choices":[{"message":{"role":"assistant","content":""},"finish_reason":"length"}],"usa'
        b'ge":{"prompt_tokens":11,"completion_tokens":7}}',
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

def deepseek_client(url, **options):
    client = aisuite.Client()
    client.providers['deepseek'] = DeepseekProvider(**options)
    client.providers['deepseek'].client.base_url = url
    return client

client = deepseek_client(BASE_URL, api_key="test-key", max_retries=0)
answer = client.chat.completions.create(
    model="deepseek:test-model",
    messages=[{"role": "user", "content": "Tell me everything about TCP."}], max_tokens=1024,
    extra_body={"thinking": {"type": "disabled"}},
)
print("<--", answer)
