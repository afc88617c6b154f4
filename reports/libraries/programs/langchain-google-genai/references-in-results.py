# pip install langchain-google-genai==4.4.3 langchain
# items.schema_as_result/blocking on gemini, made smaller; the provider is here, too
# gemini.result.references-to-parts: From Gemini 3 on a $ref inside of functionResponse.response n…
#   at /contents/2/parts/0/functionResponse/response/properties/boats/items/$ref in the last reque…
#   expected: no references, as there are no parts
#   found:    #/$defs/Boat

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import langchain_google_genai
from langchain_core.messages import HumanMessage

ANSWERS = [
    (200, {"content-type": "application/json"}, [
        b'{"candidates":[{"content":{"parts":[{"functionCall":{"name":"read_file"}}]}}],"usageMeta'
        b'data":{"promptTokenCount":11,"candidatesTokenCount":7}}',
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
answer = model.invoke([HumanMessage(content="What does a berth look like in the harbour's API?")])
print("<--", answer)
