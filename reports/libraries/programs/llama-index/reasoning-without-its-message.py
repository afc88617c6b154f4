# pip install llama-index-core==0.14.25 llama-index-llms-openai llama-index-llms-anthropic \
#   'anthropic<1'
# reasoning.no_call/blocking on openai-responses, made smaller; the provider is here, too
# responses.history.reasoning-item-followed: A replayed reasoning item is followed by the item tha…
#   at /input/1 in the last request
#   expected: the item that followed this one, with its id
#   found:    {"role": "assistant"}

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from llama_index.core.base.llms.types import ChatMessage
from llama_index.llms.openai import OpenAIResponses

ANSWERS = [
    (200, {"content-type": "application/json"}, [
        b'{"output":[{"id":"rs_LfaDpfVmP6ypSpsDRfApBDLLJQLRDKRVkN99YsFgPec76fhh","type":"reasoning'
        b'","summary":[{"text":"2027 is not divisible by 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 3'
        b'7, 41 or 43."}]}],"usage":{"input_tokens":11,"output_tokens":7}}',
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
    max_output_tokens=1024, model="gpt-5", api_key="test-key", api_base=BASE_URL + "/v1",
    max_retries=0, reasoning_options={"effort": "medium", "summary": "auto"}, store=True,
)
answer = model.chat(messages=[ChatMessage(role="user", content="Is 2027 a prime number?")])
model.chat(messages=[ChatMessage(role="user", content="Is 2027 a prime number?"), answer.message])
