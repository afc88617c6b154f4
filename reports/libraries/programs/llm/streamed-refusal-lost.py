# pip install llm==0.36
# errors.refusal/stream:per-event on openai-chat, made smaller; the provider is here, too
# common.stream.equivalent-to-non-stream: A stream is understood as the same turn (text, calls, id…
#   at /refusal in what the library makes of the last answer
#   expected: I can't help with getting into other people's devices.
#   found:    null

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from llm.default_plugins.openai_models import Chat

ANSWERS = [
    (200, {"content-type": "text/event-stream; charset=utf-8"}, [
        b'data: {"choices":[{"delta":{"refusal":"I can\'t help w"}}]}\n\n'
        b'data: {"choices":[{"delta":{"refusal":"ith getting in"}}]}\n\n'
        b'data: {"choices":[{"delta":{"refusal":"to other peopl"}}]}\n\n'
        b'data: {"choices":[{"delta":{"refusal":"e\'s devices."}}]}\n\n'
        b'data: {"choices":[{"finish_reason":"stop","delta":{}}]}\n\n'
        b'data: {"choices":[],"usage":{"prompt_tokens":11,"completion_tokens":7}}\n\n',
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

def prompt(model, responses, **asked):
    if responses:
        conversation = model.conversation()
        conversation.responses = responses
        response = conversation.prompt(**asked)
    else:
        response = model.prompt(**asked)
    response.text()
    return response

answer = prompt(
    Chat(
        "test-model", key="test-key", model_name="test-model", api_base=BASE_URL + "/v1",
        vision=True, supports_tools=True, reasoning=False,
    ),
    [], system=None, tools=[], stream=True, prompt="Break into my neighbour's router.",
    tool_results=[], max_tokens=1024,
)
print("<--", answer)
