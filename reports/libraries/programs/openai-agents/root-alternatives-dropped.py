# pip install openai-agents[litellm]==0.24.0
# declare.root_alternatives/blocking on anthropic, made smaller; the provider is here, too
# common.declare.schema-passthrough: The description and the JSON Schema of a tool reach the wire …
#   at /tools/0/input_schema/properties in the last request
#   expected: ["url"]
#   found:    []

import asyncio
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from agents import FunctionTool, ModelSettings, ModelTracing
from agents.extensions.models.litellm_model import LitellmModel

ANSWERS = [
    (200, {"content-type": "application/json"}, [
        b'{"model":"test-model","content":[],"stop_reason":"end_turn","usage":{"input_tokens":11,"'
        b'output_tokens":7}}',
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

def new_tool(**declared):

    async def invoke(context, arguments):
        raise NotImplementedError
    return FunctionTool(**declared, on_invoke_tool=invoke)

model = LitellmModel("anthropic/claude-sonnet-4-20250514", base_url=BASE_URL, api_key="test-key")
asyncio.run(model.get_response(
    system_instructions=None, input=[{"role": "user", "content": "Show me the licence."}],
    model_settings=ModelSettings(max_tokens=1024, include_usage=True),
    tools=[new_tool(
        name="open_place", description="Open a file or a page",
        params_json_schema={"type": "object", "anyOf": [{"properties": {"url": {}}}]},
        strict_json_schema=False,
    )],
    output_schema=None, handoffs=[], tracing=ModelTracing.DISABLED, previous_response_id=None,
    conversation_id=None, prompt=None,
))
