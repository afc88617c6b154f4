# pip install openai-agents==0.24.0
# errors.cut_after_call/stream:per-event on deepseek, made smaller; the provider is here, too
# common.stream.truncated-stream-not-complete: A stream that ends without its terminal marker is f…
#   at /stop in what the library makes of the last answer
#   expected: incomplete: the body ended without the stream's last event
#   found:    tool_calls

import asyncio
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from agents import ModelSettings, ModelTracing, OpenAIChatCompletionsModel
from openai import AsyncOpenAI

ANSWERS = [
    (200, {"content-type": "text/event-stream; charset=utf-8"}, [
        b'data: {"id":"chatcmpl-WRBgFzjDQDADZU29Ed6C6bnJ","choices":[{"index":0,"delta":{"tool_cal'
        b'ls":[{"id":"call_00_C3fdn8eS73JGUBSc8GKziNXs","function":{"name":"read_file"}}]}}]}\n\nd'
        b'ata: {"choices":[{"index":0,"delta":{"tool_calls":[{"function":{"arguments":"{"}}]}}]}\n'
        b'\ndata: {"choices":[{"index":0,"delta":{"tool_calls":[{"function":{"arguments":"}"}}]}}]'
        b"}\n\n",
    ]),
]

class Provider(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        if "completions" not in self.path: return self.send_error(404)
        print(f"--> POST {self.path}\n{body}\n")
        status, headers, chunks = ANSWERS.pop(0) if len(ANSWERS) > 1 else ANSWERS[0]
        self.send_response(status)
        self.send_header("content-type", headers["content-type"])
        self.end_headers()
        self.wfile.write(b"".join(chunks))

server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
threading.Thread(target=server.serve_forever, daemon=True).start()
BASE_URL = f"http://127.0.0.1:{server.server_port}"

def stream_response(model, events, **asked):

    async def stream():
        async for event in model.stream_response(**asked):
            events.append(event)
    asyncio.run(stream())
    return events

answer = stream_response(
    OpenAIChatCompletionsModel(
        "deepseek-chat",
        openai_client=AsyncOpenAI(base_url=BASE_URL, api_key="test-key", max_retries=0),
    ),
    [], system_instructions=None, input=[{"role": "user", "content": "Read a.txt."}],
    model_settings=ModelSettings(
        max_tokens=1024, include_usage=True, extra_body={"thinking": {"type": "disabled"}},
    ),
    tools=[], output_schema=None, handoffs=[], tracing=ModelTracing.DISABLED,
    previous_response_id=None, conversation_id=None, prompt=None,
)
print("<--", answer)
