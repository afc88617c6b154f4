# pip install langchain-openai==1.7.4 langchain
# arguments.lone_surrogate/blocking on openai-chat, made smaller; the provider is here, too
# common.adapter.completes: Every operation that the adapter declares returns a value of the right…
#   at (whole) in what the library makes of the last answer
#   expected: a request from complete
#   found:    complete raised UnicodeEncodeError: 'utf-8' codec can't encode character '\ud83…

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from langchain_core.messages import HumanMessage, ToolMessage
from langchain_openai import ChatOpenAI

ANSWERS = [
    (200, {"content-type": "application/json"}, [
        b'{"choices":[{"message":{"role":"assistant","tool_calls":[{"function":{"name":"write_file'
        b'","arguments":"{\\"file_path\\":\\"/srv/app/hi.txt\\",\\"content\\":\\"hi \\\\ud83d ther'
        b'e\\"}"}}]}}],"usage":{"prompt_tokens":11,"completion_tokens":7}}',
    ]),
]

class Provider(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        if "" not in self.path: return self.send_error(404)
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
answer = model.invoke([HumanMessage(content="Greet the team.")])
answer_2 = model.invoke([
    HumanMessage(content="Greet the team."), answer,
    ToolMessage(
        content="Wrote 10 bytes to /srv/app/hi.txt", name="write_file", tool_call_id="",
        status="success",
    ),
])
print("<--", answer_2)
