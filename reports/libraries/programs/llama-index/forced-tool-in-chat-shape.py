# pip install llama-index-core==0.14.25 llama-index-llms-openai llama-index-llms-anthropic \
#   'anthropic<1'
# tool_choice.only_tool/blocking on openai-responses, made smaller; the provider is here, too
# responses.choose.mode-mapping: tool_choice is "auto", "none" or "required" as the application ch…
#   at /tool_choice in the last request
#   expected: {"type": "function", "name": "record_order"}
#   found:    {"type": "function", "function": {"name": "record_order"}}

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.tools import FunctionTool, ToolMetadata
from llama_index.llms.openai import OpenAIResponses
from pydantic import BaseModel

ANSWERS = [
    (200, {"content-type": "application/json"}, [
        b'{"status":"completed","output":[],"usage":{"input_tokens":11,"output_tokens":7}}',
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

def new_tool(name, description, parameters):

    class Parameters(BaseModel):

        @classmethod
        def model_json_schema(cls, *arguments, **options):
            return parameters
    metadata = ToolMetadata(name=name, description=description, fn_schema=Parameters)
    return FunctionTool(fn=lambda **arguments: None, metadata=metadata)

model = OpenAIResponses(
    max_output_tokens=1024, model="gpt-4.1", api_key="test-key", api_base=BASE_URL + "/v1",
    max_retries=0,
)
model.chat_with_tools(
    tools=[new_tool(
        name="record_order", description="Record what was ordered", parameters={"type": "object"},
    )],
    chat_history=[ChatMessage(
        role="user", content="Ada wants two lamps at 19.5 each, and by Friday.",
    )],
    allow_parallel_tool_calls=True, tool_choice="record_order",
)
