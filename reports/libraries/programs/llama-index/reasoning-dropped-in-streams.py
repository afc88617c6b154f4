# pip install llama-index-core==0.14.25 llama-index-llms-openai llama-index-llms-anthropic \
#   'anthropic<1'
# reasoning.one_call/stream:per-event on openai-responses, made smaller; the provider is here, too
# responses.history.reasoning-items-passed-back: With client-managed context every reasoning item …
#   at /input/1 in the last request
#   expected: the reasoning item rs_MuaJLsDKCdYwf5bMAJ4uXrKVZyaD2dZTb7QuS4eDkpuvhKJ8 before t…
#   found:    no such item

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from llama_index.core.base.llms.types import ChatMessage, ToolCallBlock
from llama_index.llms.openai import OpenAIResponses

ANSWERS = [
    (200, {"content-type": "text/event-stream; charset=utf-8"}, [
        b"event: response.completed\n"
        b'data: {"response":{"status":"completed","usage":{"input_tokens":11,"output_tokens":7}}}'
        b"\n\n",
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

model = OpenAIResponses(
    max_output_tokens=1024, model="gpt-4.1", api_key="test-key", api_base=BASE_URL + "/v1",
    max_retries=0,
)
list(model.stream_chat(messages=[
    ChatMessage(role="user", content="Is the clock right?"),
    ChatMessage(
        role="assistant",
        blocks=[ToolCallBlock(
            tool_call_id="call_PX4oS9yfJ28NDfY67mPasLgc", tool_name="run_shell_command",
            tool_kwargs={},
        )],
    ),
    ChatMessage(
        role="tool", content="System time : 0.000012 seconds fast of NTP time\n",
        additional_kwargs={"tool_call_id": "call_PX4oS9yfJ28NDfY67mPasLgc"},
    ),
]))
