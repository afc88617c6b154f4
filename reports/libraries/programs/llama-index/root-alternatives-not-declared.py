# pip install llama-index-core==0.14.25 llama-index-llms-openai llama-index-llms-anthropic \
#   'anthropic<1'
# declare.root_alternatives/blocking on anthropic, made smaller; the provider is here, too
# common.declare.schema-passthrough: The description and the JSON Schema of a tool reach the wire …
#   at /tools/0/input_schema/properties in the last request
#   expected: ["url"]
#   found:    []

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.tools import FunctionTool, ToolMetadata
from llama_index.llms.anthropic import Anthropic
from pydantic import BaseModel

ANSWERS = [
    (200, {"content-type": "application/json"}, [
        b'{"content":[],"stop_reason":"end_turn","usage":{"input_tokens":11,"output_tokens":7}}',
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

def new_tool(name, description, parameters):

    class Parameters(BaseModel):

        @classmethod
        def model_json_schema(cls, *arguments, **options):
            return parameters
    metadata = ToolMetadata(name=name, description=description, fn_schema=Parameters)
    return FunctionTool(fn=lambda **arguments: None, metadata=metadata)

model = Anthropic(
    model="claude-sonnet-4-20250514", max_retries=0, max_tokens=1024, api_key="test-key",
    base_url=BASE_URL,
)
model.chat_with_tools(
    tools=[new_tool(
        name="open_place", description="Open a file or a page",
        parameters={"type": "object", "anyOf": [{"properties": {"url": {}}}]},
    )],
    chat_history=[ChatMessage(role="user", content="Show me the licence.")],
    allow_parallel_tool_calls=True,
)
