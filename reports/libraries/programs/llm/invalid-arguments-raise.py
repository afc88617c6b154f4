# pip install llm==0.36
# arguments.trailing_text/blocking on openai-chat, made smaller; the provider is here, too
# common.parse.invalid-json-arguments: Arguments that are not valid JSON (truncated, trailing text…
#   at (whole) in what the library makes of the last answer
#   expected: the turn that the provider sent
#   found:    complete raised JSONDecodeError: Extra data: line 1 column 20 (char 19)

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from llm.default_plugins.openai_models import Chat

ANSWERS = [
    (200, {"content-type": "application/json"}, [
        b'{"choices":[{"message":{"tool_calls":[{"function":{"name":"run_shell_command","arguments'
        b'":"{\\"command\\": \\"date\\"}</tool_call>"}}]}}],"usage":{"prompt_tokens":11,"completio'
        b'n_tokens":7}}',
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

def prompt(model, responses, **asked):
    if responses:
        conversation = model.conversation()
        conversation.responses = responses
        response = conversation.prompt(**asked)
    else:
        response = model.prompt(**asked)
    response.text()
    return response

answer = prompt(
    Chat(
        "test-model", key="test-key", model_name="test-model", api_base=BASE_URL + "/v1",
        vision=True, supports_tools=True, reasoning=False,
    ),
    [], system=None, tools=[], stream=False, prompt="Show the date.", tool_results=[],
    max_tokens=1024,
)
print("<--", answer)
