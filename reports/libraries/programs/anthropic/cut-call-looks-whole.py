# pip install anthropic==2.14.0
# errors.cut_in_arguments/stream:per-event on anthropic, made smaller; the provider is here, too
# common.stream.truncated-stream-not-complete: A stream that ends without its terminal marker is f…
#   at /calls/0 in what the library makes of the last answer
#   expected: a call that is marked invalid
#   found:    {"id": "toolu_2gpNBxB26qsrkH49MgTQA4Xz", "name": "run_shell_command", "argument…

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from anthropic import Anthropic

ANSWERS = [
    (200, {"content-type": "text/event-stream; charset=utf-8"}, [
        b"event: message_start\n"
        b'data: {"type":"message_start","message":{"model":"test-model","id":"msg_34HfsZ2ydiuYWF3L'
        b'MrfvPkmw","type":"message","role":"assistant","content":[],"stop_reason":null,"stop_sequ'
        b'ence":null,"stop_details":null,"usage":{"input_tokens":11,"cache_creation_input_tokens":'
        b'0,"cache_read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral'
        b'_1h_input_tokens":0},"output_tokens":1,"output_tokens_details":{"thinking_tokens":0},"se'
        b'rvice_tier":"standard","inference_geo":"not_available"}}}\n\n'
        b"event: content_block_start\n"
        b'data: {"type":"content_block_start","content_block":{"type":"tool_use","id":"toolu_2gpNB'
        b'xB26qsrkH49MgTQA4Xz","name":"run_shell_command","input":{},"caller":{"type":"direct"}}}'
        b"\n\n",
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

def final_message(client, **asked):
    with client.messages.stream(**asked) as events:
        return events.get_final_message()

answer = final_message(
    Anthropic(api_key="test-key", base_url=BASE_URL, max_retries=0), model="test-model",
    max_tokens=1024, messages=[{"role": "user", "content": "Clean up."}],
)
print("<--", answer)
