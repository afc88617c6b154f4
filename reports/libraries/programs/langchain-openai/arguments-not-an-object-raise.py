# pip install langchain-openai==1.7.4 langchain
# arguments.not_an_object/blocking on openai-chat, made smaller; the provider is here, too
# common.parse.invalid-json-arguments: Arguments that are not valid JSON (truncated, trailing text…
#   at (whole) in what the library makes of the last answer
#   expected: the turn that the provider sent
#   found:    complete raised ValidationError: 1 validation error for AIMessage tool_calls.0.…

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from langchain_core.messages import HumanMessage
from langchain_openai import ChatOpenAI

ANSWERS = [
    (200, {"content-type": "application/json"}, [
        b'{"choices":[{"message":{"role":"assistant","tool_calls":[{"function":{"name":"run_shell_'
        b'command","arguments":"[\\"date\\", \\"-u\\"]"}}]}}],"usage":{"prompt_tokens":11,"complet'
        b'ion_tokens":7}}',
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

model = ChatOpenAI(
    model="test-model", api_key="test-key", max_tokens=1024, max_retries=0, stream_usage=True,
    base_url=BASE_URL + "/v1",
)
answer = model.invoke([HumanMessage(content="Show the date.")])
print("<--", answer)
