# pip install pydantic-ai-slim[google]==2.68.0
# quirks.unknown_fields/blocking on gemini, made smaller; the provider is here, too
# common.parse.unknown-fields-tolerated: Unknown response fields, block/item/event types and enum …
#   at (whole) in what the library makes of the last answer
#   expected: the turn that the provider sent
#   found:    complete raised UnexpectedModelBehavior: Unsupported response from Gemini: Part…

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from google.genai import Client
from google.genai.types import HttpOptions
from pydantic_ai import ModelRequest, UserPromptPart
from pydantic_ai.direct import model_request_sync
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.google import GoogleModel
from pydantic_ai.providers.google import GoogleProvider

ANSWERS = [
    (200, {"content-type": "application/json"}, [
        b'{"candidates":[{"content":{"parts":[{},{"functionCall":{"name":"read_file"}}]}}],"usageM'
        b'etadata":{"promptTokenCount":11,"candidatesTokenCount":7}}',
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

provider = GoogleProvider(client=Client(
    api_key="test-key", http_options=HttpOptions(base_url=BASE_URL),
))
model = GoogleModel(
    "test-model", provider=provider, profile=provider.model_profile("gemini-3-pro-preview"),
)
answer = model_request_sync(
    model,
    messages=model.prepare_messages([ModelRequest(parts=[UserPromptPart(content="Read a.txt.")])]),
    model_settings={"max_tokens": 1024}, model_request_parameters=ModelRequestParameters(),
)
print("<--", answer)
