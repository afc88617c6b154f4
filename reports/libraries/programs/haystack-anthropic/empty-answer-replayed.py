# pip install anthropic-haystack==8.0.1
# multi_turn.empty_answer/blocking on anthropic, made smaller; the provider is here, too
# anthropic.history.no-empty-text-blocks: No content of a message, and none of its text blocks, is…
#   at /messages/1/content in the last request
#   expected: text, or no message at all
#   found:    []

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from anthropic import Anthropic
from haystack.dataclasses import ChatMessage
from haystack.utils import Secret
from haystack_integrations.components.generators.anthropic import AnthropicChatGenerator

ANSWERS = [
    (200, {"content-type": "application/json"}, [
        b'{"content":[],"usage":{"input_tokens":11,"output_tokens":7}}',
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

def new_generator(client, **options):
    generator = AnthropicChatGenerator(**options)
    generator.client = client
    return generator

generator = new_generator(
    Anthropic(api_key="test-key", base_url=BASE_URL, max_retries=0),
    api_key=Secret.from_token("test-key"), model="test-model",
)
answer = generator.run(
    messages=[ChatMessage.from_user("Save an empty list.")], tools=[],
    generation_kwargs={"max_tokens": 1024},
)
generator.run(
    messages=[
        ChatMessage.from_user("Save an empty list."), answer['replies'][0],
        ChatMessage.from_user("Did it work?"),
    ],
    tools=[], generation_kwargs={"max_tokens": 1024},
)
