# pip install langchain-google-genai==4.4.3 langchain
# declare.schema_keywords/blocking on gemini, made smaller; the provider is here, too
# common.declare.schema-passthrough: The description and the JSON Schema of a tool reach the wire …
#   at /tools/0/functionDeclarations/0/parameters/properties/width/type in the last request
#   expected: ["null"]
#   found:    STRING

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import langchain_google_genai
from langchain_core.messages import HumanMessage

ANSWERS = [
    (200, {"content-type": "application/json"}, [
        b'{"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":11,"candidat'
        b'esTokenCount":7},"modelVersion":"test-model"}',
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
model_2 = model.bind_tools(tools=[{
    "type": "function",
    "function": {
        "name": "draw", "description": "Draw shapes",
        "parameters": {"type": "object", "properties": {"width": {"type": ["null"]}}},
    },
}])
model_2.invoke([HumanMessage(content="Draw a dot at the origin.")])
