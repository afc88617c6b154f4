# pip install langchain-google-genai==4.4.3 langchain
# arguments.floats/blocking on gemini, made smaller; the provider is here, too
# gemini.ids.echoed-when-present: If the response carried functionCall.id, the same id is sent in …
#   at /contents/1/parts/0/functionCall/id in the last request
#   expected: tyef6a9a
#   found:    null

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import langchain_google_genai
from langchain_core.messages import HumanMessage, ToolMessage

ANSWERS = [
    (200, {"content-type": "application/json"}, [
        b'{"candidates":[{"content":{"parts":[{"functionCall":{"name":"query_orders","id":"tyef6a9'
        b'a"}}]}}],"usageMetadata":{"promptTokenCount":11,"candidatesTokenCount":7}}',
    ]),
]

class Provider(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        if "generateContent" not in self.path: return self.send_error(404)
        print(f"--> POST {self.path}\n{body}\n")
        status, headers, chunks = ANSWERS.pop(0) if len(ANSWERS) > 1 else ANSWERS[0]
        self.send_response(status)
        self.send_header("content-type", headers["content-type"])
        self.end_headers()
        self.wfile.write(b"".join(chunks))

server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
threading.Thread(target=server.serve_forever, daemon=True).start()
BASE_URL = f"http://127.0.0.1:{server.server_port}"

model = langchain_google_genai.ChatGoogleGenerativeAI(
    model="gemini-3-pro-preview", google_api_key="test-key", max_output_tokens=1024, max_retries=1,
    base_url=BASE_URL,
)
answer = model.invoke([HumanMessage(content="Find orders near the office that cost about 20.")])
model.invoke([
    HumanMessage(content="Find orders near the office that cost about 20."), answer,
    ToolMessage(content="2 orders", name="query_orders", tool_call_id="tyef6a9a", status="success"),
])
