# pip install langchain-anthropic==1.7.7
# errors.cut_in_arguments/stream:per-event on anthropic, made smaller; the provider is here, too
# common.stream.truncated-stream-not-complete: A stream that ends without its terminal marker (con…
#   at /calls/0 in what the library makes of the last answer
#   expected: a call that is marked invalid
#   found:    {"id": "toolu_2gpNBxB26qsrkH49MgTQA4Xz", "name": "run_shell_command", "argument…

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from langchain_anthropic import ChatAnthropic
from langchain_core.messages import HumanMessage, message_chunk_to_message

ANSWERS = [
    (200, {"content-type": "text/event-stream; charset=utf-8"}, [
        b"event: message_start\n"
        b'data: {"type":"message_start","message":{"model":"test-model","usage":{"input_tokens":11'
        b',"output_tokens":1}}}\n\nevent: content_block_start\n'
        b'data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t'
        b'oolu_2gpNBxB26qsrkH49MgTQA4Xz","name":"run_shell_command","input":{}}}\n\n',
    ]),
]

class Provider(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        if "messages" not in self.path:
            return self.send_error(404)
        print(f"--> POST {self.path}\n{body}\n")
        status, headers, chunks = ANSWERS.pop(0) if len(ANSWERS) > 1 else ANSWERS[0]
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
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
    ChatAnthropic(
        model="test-model", api_key="test-key", base_url=BASE_URL, max_retries=0, max_tokens=1024,
    ),
    messages=[HumanMessage(content="Clean up.")],
)
print("<--", answer)
