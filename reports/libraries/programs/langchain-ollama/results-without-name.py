# pip install langchain-ollama==1.1.0 langchain
# arguments.floats/blocking on ollama, made smaller; the provider is here, too
# ollama.result.tool-message: A result is {role:"tool", content, tool_name:<function name>}, with …
#   at /messages/2/tool_name in the last request
#   expected: query_orders
#   found:    null

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from langchain_core.messages import HumanMessage, ToolMessage
from langchain_ollama import ChatOllama

ANSWERS = [
    (200, {"content-type": "application/x-ndjson", "transfer-encoding": "chunked"}, [
        b'{"message":{"role":"assistant","tool_calls":[{"function":{"name":"query_orders","argumen'
        b'ts":{}}}]}}\n',
        b'{"message":{"role":"assistant"},"done":true,"prompt_eval_count":11,"eval_count":7}\n',
    ]),
]

class Provider(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        if "chat" not in self.path: return self.send_error(404)
        print(f"--> POST {self.path}\n{body}\n")
        status, headers, chunks = ANSWERS.pop(0) if len(ANSWERS) > 1 else ANSWERS[0]
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        for chunk in [*chunks, b""]:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))

server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
threading.Thread(target=server.serve_forever, daemon=True).start()
BASE_URL = f"http://127.0.0.1:{server.server_port}"

model = ChatOllama(model="test-model", base_url=BASE_URL, num_predict=1024, reasoning=None)
answer = model.invoke([HumanMessage(content="Find orders near the office that cost about 20.")])
model.invoke([
    HumanMessage(content="Find orders near the office that cost about 20."), answer,
    ToolMessage(
        content="2 orders", name="query_orders", tool_call_id=answer.tool_calls[0]['id'],
        status="success",
    ),
])
