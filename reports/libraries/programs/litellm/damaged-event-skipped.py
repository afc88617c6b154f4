# pip install litellm==1.110.2
# errors.damaged_in_text/stream:per-event on openai-responses, made smaller; the provider is here,…
# common.stream.damage-not-passed-over: An event of a stream that is no JSON is not passed over in…
#   at /stop in what the library makes of the last answer
#   expected: incomplete, an error, or all that was said
#   found:    end

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import litellm

ANSWERS = [
    (200, {"content-type": "text/event-stream; charset=utf-8"}, [
        b"event: response.output_text.delta\n"
        b'data: {"type":"response.output_text.delta","delta":"Please "}\n\n'
        b"event: response.output_text.delta\n"
        b'data: {"type":"response.output_text.delta","sequence_number":5,"item_id":"msg_ixYrqbqN4G'
        b"TAWXLTpLoCeDP36pafKD6FpUg\n\nevent: response.output_text.delta\n"
        b'data: {"type":"response.output_text.delta","delta":"delete "}\n\n'
        b"event: response.output_text.delta\n"
        b'data: {"type":"response.output_text.delta","delta":"it yet."}\n\n'
        b"event: response.completed\n"
        b'data: {"type":"response.completed","response":{"id":"resp_j2tKNkBKdQPmhTpQNWeVxfR3RknQ8h'
        b'GVak3ywoHWPYUgW5CA","output":[{"type":"message","content":[{"type":"output_text","text":'
        b'"Please do not delete it yet."}],"role":"assistant"}],"usage":{"input_tokens":11,"output'
        b'_tokens":7}}}\n\n',
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

answer = list(litellm.completion(
    model="openai/responses/gpt-5", api_base=BASE_URL + "/v1", api_key="test-key", max_retries=0,
    messages=[{"role": "user", "content": "May I delete the table?"}], max_tokens=1024,
    stream_options={"include_usage": True}, stream=True,
))
print("<--", answer)
