# pip install llama-index-core==0.14.25 llama-index-llms-openai llama-index-llms-anthropic \
#   'anthropic<1'
# arguments.not_an_object/blocking on openai-chat, made smaller; the provider is here, too
# common.parse.invalid-json-arguments: Arguments that are not valid JSON (truncated, trailing text…
#   at /calls/0 in what the library makes of the last answer
#   expected: {"arguments": null, "raw": "[\"date\", \"-u\"]", "invalid": true}
#   found:    {"arguments": {}, "raw": null, "invalid": false}

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from llama_index.core.base.llms.types import ChatMessage
from llama_index.llms.openai import OpenAI

ANSWERS = [
    (200, {"content-type": "application/json"}, [
        b'{"choices":[{"message":{"role":"assistant","tool_calls":[{"id":"call_8fSApMHvJQHRjXsi9K4'
        b'Xp9YB","type":"function","function":{"name":"run_shell_command","arguments":"[\\"date\\"'
        b', \\"-u\\"]"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":11,"completion_'
        b'tokens":7}}',
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

model = OpenAI(
    max_tokens=1024, model="gpt-4.1", api_key="test-key", api_base=BASE_URL + "/v1", max_retries=0,
)
answer = model.chat(messages=[ChatMessage(role="user", content="Show the date.")])
print("<--", answer)
