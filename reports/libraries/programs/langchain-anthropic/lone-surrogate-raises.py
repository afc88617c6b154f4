# pip install langchain-anthropic==1.7.10 langchain
# arguments.lone_surrogate/blocking on anthropic, made smaller; the provider is here, too
# common.adapter.completes: Every operation that the adapter declares returns a value of the right…
#   at (whole) in what the library makes of the last answer
#   expected: a request from complete
#   found:    complete raised UnicodeEncodeError: 'utf-8' codec can't encode character '\ud83…

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from langchain_anthropic import ChatAnthropic
from langchain_core.messages import HumanMessage, ToolMessage

ANSWERS = [
    (200, {"content-type": "application/json"}, [
        b'{"model":"test-model","id":"msg_QH3jGXByGXSaymoDJAziykit","type":"message","role":"assis'
        b'tant","content":[{"type":"tool_use","id":"toolu_GMmGmWUuQYadsxbA78PGTb8q","name":"write_'
        b'file","input":{"file_path":"/srv/app/hi.txt","content":"hi \xed\xa0\xbd there"},"caller"'
        b':{"type":"direct"}}],"stop_reason":"tool_use","stop_sequence":null,"stop_details":null,"'
        b'usage":{"input_tokens":11,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"c'
        b'ache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0},"output_tok'
        b'ens":7,"output_tokens_details":{"thinking_tokens":0},"service_tier":"standard","inferenc'
        b'e_geo":"not_available"}}',
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

model = ChatAnthropic(
    model="test-model", api_key="test-key", base_url=BASE_URL, max_retries=0, max_tokens=1024,
)
answer = model.invoke([HumanMessage(content="Greet the team.")])
answer_2 = model.invoke([
    HumanMessage(content="Greet the team."), answer,
    ToolMessage(
        content="Wrote 10 bytes to /srv/app/hi.txt", name="write_file",
        tool_call_id="toolu_GMmGmWUuQYadsxbA78PGTb8q", status="success",
    ),
])
print("<--", answer_2)
