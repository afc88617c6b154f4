# pip install any-llm-sdk[cohere]==1.40.2
# declare.strict_calls/stream:per-event on cohere, made smaller; the provider is here, too
# common.stream.equivalent-to-non-stream: A stream is understood as the same turn (text, calls, id…
#   at /text in what the library makes of the last answer
#   expected: I will set both.
#   found:    ""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import any_llm

ANSWERS = [
    (200, {"content-type": "text/event-stream; charset=utf-8"}, [
        b"event: tool-plan-delta\n"
        b'data: {"type":"tool-plan-delta","delta":{"message":{"tool_plan":"I wi"}}}\n\n'
        b"event: tool-plan-delta\n"
        b'data: {"type":"tool-plan-delta","delta":{"message":{"tool_plan":"ll s"}}}\n\n'
        b"event: tool-plan-delta\n"
        b'data: {"type":"tool-plan-delta","delta":{"message":{"tool_plan":"et b"}}}\n\n'
        b"event: tool-plan-delta\n"
        b'data: {"type":"tool-plan-delta","delta":{"message":{"tool_plan":"oth."}}}\n\n'
        b"event: tool-call-start\n"
        b'data: {"type":"tool-call-start","delta":{"message":{"tool_calls":{"id":"tool_pbbddh2ckqj'
        b'u","function":{"name":"set_volume"}}}}}\n\nevent: tool-call-delta\n'
        b'data: {"type":"tool-call-delta","delta":{"message":{"tool_calls":{"function":{"arguments'
        b'":"{"}}}}}\n\nevent: tool-call-delta\n'
        b'data: {"type":"tool-call-delta","delta":{"message":{"tool_calls":{"function":{"arguments'
        b'":"}"}}}}}\n\nevent: message-end\n'
        b'data: {"type":"message-end","delta":{"finish_reason":"TOOL_CALL","usage":{"tokens":{"inp'
        b'ut_tokens":11,"output_tokens":7}}}}\n\n',
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
    model="test-model", messages=[{"role": "user", "content": "Wake me at six, and loudly."}],
    max_tokens=1024, reasoning_effort="none", provider="cohere", api_key="test-key",
    api_base=BASE_URL, client_args={"base_url": BASE_URL}, stream=True,
))
print("<--", answer)
