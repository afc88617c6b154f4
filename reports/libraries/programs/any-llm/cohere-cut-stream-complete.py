# pip install any-llm-sdk[cohere]==1.40.2
# errors.cut_after_call/stream:per-event on cohere, made smaller; the provider is here, too
# common.stream.truncated-stream-not-complete: A stream that ends without its terminal marker is f…
#   at /stop in what the library makes of the last answer
#   expected: incomplete: the body ended without the stream's last event
#   found:    tool_calls

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import any_llm

ANSWERS = [
    (200, {"content-type": "text/event-stream; charset=utf-8"}, [
        b"event: tool-call-start\n"
        b'data: {"type":"tool-call-start","delta":{"message":{"tool_calls":{"id":"tool_c3fdn8es73j'
        b'g","function":{"name":"read_file"}}}}}\n\nevent: tool-call-delta\n'
        b'data: {"type":"tool-call-delta","delta":{"message":{"tool_calls":{"function":{"arguments'
        b'":"{"}}}}}\n\nevent: tool-call-delta\n'
        b'data: {"type":"tool-call-delta","delta":{"message":{"tool_calls":{"function":{"arguments'
        b'":"}"}}}}}\n\nevent: tool-call-end\ndata: {"type":"tool-call-end"}\n\n',
    ]),
]

class Provider(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        if "chat" not in self.path: return self.send_error(404)
        print(f"--> POST {self.path}\n{body}\n")
        status, headers, chunks = ANSWERS.pop(0) if len(ANSWERS) > 1 else ANSWERS[0]
        self.send_response(status)
        self.send_header("content-type", headers["content-type"])
        self.end_headers()
        self.wfile.write(b"".join(chunks))

server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
threading.Thread(target=server.serve_forever, daemon=True).start()
BASE_URL = f"http://127.0.0.1:{server.server_port}"

answer = list(any_llm.completion(
    model="test-model", messages=[{"role": "user", "content": "Read a.txt."}], max_tokens=1024,
    reasoning_effort="none", provider="cohere", api_key="test-key", api_base=BASE_URL,
    client_args={"base_url": BASE_URL}, stream=True,
))
print("<--", answer)
