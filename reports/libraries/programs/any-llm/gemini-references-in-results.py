# pip install any-llm-sdk[cohere,gemini]==1.40.2
# items.schema_as_result/blocking on gemini, made smaller; the provider is here, too
# gemini.result.references-to-parts: From Gemini 3 on a $ref inside of functionResponse.response n…
#   at /contents/2/parts/0/functionResponse/response/properties/boats/items/$ref in the last reque…
#   expected: no references, as there are no parts
#   found:    #/$defs/Boat

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import any_llm
from google.genai.types import HttpOptions

ANSWERS = [
    (200, {"content-type": "application/json"}, [
        b'{"candidates":[{"content":{"parts":[{"functionCall":{"name":"read_file","id":"7szyqbuj"}'
        b'}]}}],"usageMetadata":{"promptTokenCount":11,"candidatesTokenCount":7}}',
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

answer = any_llm.completion(
    model="gemini-3.1-pro-preview",
    messages=[{"role": "user", "content": "What does a berth look like in the harbour's API?"}],
    max_tokens=1024, reasoning_effort="auto", provider="gemini", api_key="test-key",
    api_base=BASE_URL, client_args={"http_options": HttpOptions(base_url=BASE_URL)},
)
print("<--", answer)
