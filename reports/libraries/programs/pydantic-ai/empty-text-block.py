# pip install pydantic-ai-slim[anthropic]==2.68.0
# unified.accept/blocking on anthropic, made smaller; the provider is here, too
# anthropic.history.no-empty-text-blocks: No text block or string content of a message is empty or…
#   at /messages/2/content/0/content/0/text in the last request
#   expected: text, or no block at all
#   found:    ""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from anthropic import AsyncAnthropic
from pydantic_ai import ModelRequest, UserPromptPart
from pydantic_ai.direct import model_request_sync
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.providers.anthropic import AnthropicProvider

ANSWERS = [
    (200, {"content-type": "application/json"}, [
        b'{"content":[{"type":"tool_use","id":"toolu_qKFYT6Bk8Qk4ipfKuNcQLri7","name":"run_shell_c'
        b'ommand"}],"usage":{"input_tokens":11,"output_tokens":7}}',
    ]),
]

class Provider(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        if "messages" not in self.path: return self.send_error(404)
        print(f"--> POST {self.path}\n{body}\n")
        status, headers, chunks = ANSWERS.pop(0) if len(ANSWERS) > 1 else ANSWERS[0]
        self.send_response(status)
        self.send_header("content-type", headers["content-type"])
        self.end_headers()
        self.wfile.write(b"".join(chunks))

server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
threading.Thread(target=server.serve_forever, daemon=True).start()
BASE_URL = f"http://127.0.0.1:{server.server_port}"

provider = AnthropicProvider(anthropic_client=AsyncAnthropic(
    api_key="test-key", base_url=BASE_URL, max_retries=0,
))
model = AnthropicModel(
    "test-model", provider=provider, profile=provider.model_profile("claude-sonnet-4-5"),
)
answer = model_request_sync(
    model,
    messages=model.prepare_messages([ModelRequest(parts=[UserPromptPart(content=("Restart the"
     " service."))])]),
    model_settings={"max_tokens": 1024}, model_request_parameters=ModelRequestParameters(),
)
print("<--", answer)
