# pip install openai-agents==0.24.0
# A chat stream that ends without finish_reason and [DONE] is a completed response at any address but OpenAI's own.
#   expected: what says that the stream ended early, as at api.openai.com (ModelBehaviorError)
#   found:    response.completed, with the half text in a message whose status is "completed"

import asyncio
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

from agents import ModelSettings, OpenAIChatCompletionsModel
from agents.models.interface import ModelTracing
from openai import AsyncOpenAI

CHUNK = (
    b'data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"test-model","choices":'
    b'[{"index":0,"delta":{"role":"assistant","content":"Delete everything but"},"finish_reason":null}]}\n\n'
)


class Provider(BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        self.wfile.write(CHUNK)


server = HTTPServer(("127.0.0.1", 0), Provider)
threading.Thread(target=server.serve_forever, daemon=True).start()
client = AsyncOpenAI(api_key="test-key", base_url=f"http://127.0.0.1:{server.server_port}/v1", max_retries=0)


async def main():
    events = OpenAIChatCompletionsModel("test-model", openai_client=client).stream_response(
        system_instructions=None, input="What shall I do?", model_settings=ModelSettings(), tools=[],
        output_schema=None, handoffs=[], tracing=ModelTracing.DISABLED, previous_response_id=None,
        conversation_id=None, prompt=None,
    )
    async for event in events:
        last = event
    print("<--", last.type, last.response.output)


asyncio.run(main())
