# pip install litellm==1.110.2
# handoff.three_thinkers/blocking on openai-responses, made smaller; the provider is here, too
# common.history.no-foreign-seals: What a model of another maker sealed (the signature of its thin…
#   at /input/1/provider_specific_fields/thought_signature in the last request
#   expected: nothing that a model of another maker sealed
#   found:    +//LN6nGbVbUhFaLMJOrHuW1uy/Tzt2EyPNovmZqEjOPhI4q9UMIwStxZv4xH9ZG/+lZA714Mk1/Ukx…

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import litellm

ANSWERS = [
    (200, {"content-type": "application/json"}, [
        b'{"created_at":1760000000,"usage":{"input_tokens":11,"output_tokens":7}}',
    ]),
]

class Provider(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        if "responses" not in self.path: return self.send_error(404)
        print(f"--> POST {self.path}\n{body}\n")
        status, headers, chunks = ANSWERS.pop(0) if len(ANSWERS) > 1 else ANSWERS[0]
        self.send_response(status)
        self.send_header("content-type", headers["content-type"])
        self.end_headers()
        self.wfile.write(b"".join(chunks))

server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
threading.Thread(target=server.serve_forever, daemon=True).start()
BASE_URL = f"http://127.0.0.1:{server.server_port}"

litellm.responses(
    model="gemini/gemini-2.5-flash",
    input=[{"role": "user", "content": "Which of the three configs is in use?"}],
    max_output_tokens=1024, reasoning={"effort": "medium", "summary": "auto"},
    include=["reasoning.encrypted_content"], store=False, api_base=BASE_URL + "/v1beta",
    api_key="test-key", max_retries=0,
)
