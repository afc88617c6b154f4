# pip install litellm==1.110.2
# arguments.empty_deltas/stream:per-event on openai-responses, made smaller; the provider is here,…
# common.stream.equivalent-to-non-stream: A stream is understood as the same turn (text, calls, id…
#   at /calls in what the library makes of the last answer
#   expected: ["read_file"]
#   found:    []

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import litellm

ANSWERS = [
    (200, {"content-type": "text/event-stream; charset=utf-8"}, [
        b"event: response.function_call_arguments.delta\n"
        b'data: {"type":"response.function_call_arguments.delta","sequence_number":3,"item_id":"fc'
        b'_qTbbcyPjNrUsojmH3EyWXyDEss582peoARLeqWsTUsY3UT9A","output_index":0,"delta":"","obfuscat'
        b'ion":"9FbKpaeWrZSfq7Qn"}\n\nevent: response.completed\n'
        b'data: {"type":"response.completed","response":{"output":[{"type":"function_call","name":'
        b'"read_file"}],"usage":{"input_tokens":11,"output_tokens":7}}}\n\n',
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
    messages=[{"role": "user", "content": "Read the licence."}], max_tokens=1024,
    stream_options={"include_usage": True}, stream=True,
))
print("<--", answer)
