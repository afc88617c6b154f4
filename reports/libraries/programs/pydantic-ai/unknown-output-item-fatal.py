# pip install pydantic-ai-slim[openai]==2.68.0
# quirks.unknown_fields/blocking on openai-responses, made smaller; the provider is here, too
# common.parse.unknown-fields-tolerated: Unknown response fields, block/item/event types and enum …
#   at (whole) in what the library makes of the last answer
#   expected: the turn that the provider sent
#   found:    complete raised TypeError: 'NoneType' object is not iterable

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from openai import AsyncOpenAI
from pydantic_ai import ModelRequest, UserPromptPart
from pydantic_ai.direct import model_request_sync
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.openai import OpenAIResponsesModel
from pydantic_ai.providers.openai import OpenAIProvider

ANSWERS = [
    (200, {"content-type": "application/json"}, [
        b'{"usage":{"input_tokens":11,"output_tokens":7}}',
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

provider = OpenAIProvider(openai_client=AsyncOpenAI(
    base_url=BASE_URL + "/v1", api_key="test-key", max_retries=0,
))
model = OpenAIResponsesModel(
    "test-model", provider=provider, profile=provider.model_profile("gpt-5.4"),
)
answer = model_request_sync(
    model,
    messages=model.prepare_messages([ModelRequest(parts=[UserPromptPart(content="Read a.txt.")])]),
    model_settings={"max_tokens": 1024}, model_request_parameters=ModelRequestParameters(),
)
print("<--", answer)
