# pip install langchain-openai==1.7.4 langchain
# errors.refusal/stream:per-event on openai-chat, made smaller; the provider is here, too
# common.stream.equivalent-to-non-stream: A stream is understood as the same turn (text, calls, id…
#   at /refusal in what the library makes of the last answer
#   expected: I can't help with getting into other people's devices.
#   found:    null

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from langchain_core.messages import HumanMessage, message_chunk_to_message
from langchain_openai import ChatOpenAI

ANSWERS = [
    (200, {"content-type": "text/event-stream; charset=utf-8"}, [
        b'data: {"choices":[{"delta":{"refusal":"I can\'t help w"}}]}\n\n'
        b'data: {"choices":[{"delta":{"refusal":"ith getting in"}}]}\n\n'
        b'data: {"choices":[{"delta":{"refusal":"to other peopl"}}]}\n\n'
        b'data: {"choices":[{"delta":{"refusal":"e\'s devices."}}]}\n\n'
        b'data: {"model":"test-model","service_tier":"default","system_fingerprint":"fp_34a54ae93c'
        b'","choices":[{"finish_reason":"stop","delta":{}}]}\n\n'
        b'data: {"usage":{"prompt_tokens":11,"completion_tokens":7,"prompt_tokens_details":{"cache'
        b'd_tokens":0,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0,"audio_t'
        b'okens":0}}}\n\n',
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

def streamed(model, messages):
    whole = None
    for chunk in model.stream(messages):
        whole = chunk if whole is None else whole + chunk
    return message_chunk_to_message(whole)

answer = streamed(
    ChatOpenAI(
        model="test-model", api_key="test-key", max_tokens=1024, max_retries=0, stream_usage=True,
        base_url=BASE_URL + "/v1",
    ),
    messages=[HumanMessage(content="Break into my neighbour's router.")],
)
print("<--", answer)
