# pip install langchain-anthropic==1.7.10 langchain
# errors.length_in_arguments/stream:per-event on anthropic, made smaller; the provider is here, too
# common.stream.equivalent-to-non-stream: A stream is understood as the same turn (text, calls, id…
#   at /calls/0/invalid in what the library makes of the last answer
#   expected: true
#   found:    false

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from langchain_anthropic import ChatAnthropic
from langchain_core.messages import HumanMessage, message_chunk_to_message

ANSWERS = [
    (200, {"content-type": "text/event-stream; charset=utf-8"}, [
        b'event: message_start\ndata: {"type":"message_start","message":{"model":"test-model"}}\n'
        b'\nevent: content_block_start\ndata: {"type":"content_block_start","index":0,"content_blo'
        b'ck":{"type":"tool_use","id":"toolu_RZL7q777k7huTvuQfbwxZCFX","name":"write_file","input"'
        b':{},"caller":{"type":"direct"}}}\n\nevent: content_block_delta\ndata: {"type":"content_b'
        b'lock_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\\"file_path\\'
        b'": \\"/srv/"}}\n\nevent: content_block_delta\ndata: {"type":"content_block_delta","index'
        b'":0,"delta":{"type":"input_json_delta","partial_json":"story.md\\", \\"content\\""}}\n\n'
        b'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type'
        b'":"input_json_delta","partial_json":": \\"Once upon a time,"}}\n\nevent: content_block_d'
        b'elta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","'
        b'partial_json":" in a \\\\\\"small\\\\\\" vill"}}\n\nevent: message_delta\ndata: {"type":'
        b'"message_delta","delta":{"stop_reason":"max_tokens"},"usage":{"input_tokens":11,"cache_c'
        b'reation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":7,"output_tokens_det'
        b'ails":{"thinking_tokens":0}}}\n\n',
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

def streamed(model, messages):
    whole = None
    for chunk in model.stream(messages):
        whole = chunk if whole is None else whole + chunk
    return message_chunk_to_message(whole)

answer = streamed(
    ChatAnthropic(
        model="test-model", api_key="test-key", base_url=BASE_URL, max_retries=0, max_tokens=1024,
    ),
    messages=[HumanMessage(content="Write a long story.")],
)
print("<--", answer)
