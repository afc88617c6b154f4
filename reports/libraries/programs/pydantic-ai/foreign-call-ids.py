# pip install pydantic-ai-slim[anthropic]==2.68.0
# handoff.odd_id/blocking on anthropic, made smaller; the provider is here, too
# anthropic.ids.pattern-and-uniqueness: tool_use.id matches ^[a-zA-Z0-9_-]+$ and is unique in its …
#   at /messages/1/content/0/id in the last request
#   expected: an id that matches ^[a-zA-Z0-9_-]+$
#   found:    functions.read_file:0/é

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from anthropic import AsyncAnthropic
from pydantic_ai import ModelRequest, ModelResponse, ToolCallPart, ToolReturnPart, UserPromptPart
from pydantic_ai.direct import model_request_sync
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.providers.anthropic import AnthropicProvider

ANSWERS = [
    (200, {"content-type": "application/json"}, [
        b'{"model":"test-model","id":"msg_TXh8J2goVY4sS54hWoJiZaHU","content":[],"stop_reason":"en'
        b'd_turn","usage":{"input_tokens":11,"cache_creation_input_tokens":0,"cache_read_input_tok'
        b'ens":0,"output_tokens":7}}',
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
model_request_sync(
    model,
    messages=model.prepare_messages([
        ModelRequest(parts=[UserPromptPart(content="What is the port?")]),
        ModelResponse(parts=[ToolCallPart(
            tool_name="read_file", args={}, tool_call_id="functions.read_file:0/é",
        )]),
        ModelRequest(parts=[ToolReturnPart(
            tool_name="read_file", content="port: 8080\n", tool_call_id="functions.read_file:0/é",
        )]),
    ]),
    model_settings={"max_tokens": 1024}, model_request_parameters=ModelRequestParameters(),
)
