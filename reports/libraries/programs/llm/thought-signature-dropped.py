# pip install llm==0.36

# quirks.signed_calls/blocking on openai-chat, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from llm import Tool, ToolResult
from llm.default_plugins import openai_models

ANSWERS = [
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"id":"chatcmpl-RKA8qYmcXjQd4BcmVScXpaer","object":"chat.completion","created":1760000000,"'
             b'model":"gemini-3-pro-preview","choices":[{"index":0,"message":{"role":"assistant","content"'
             b':null,"refusal":null,"tool_calls":[{"id":"call_XgxGoirciUgcX9ddUqWfeBjK","type":"function",'
             b'"function":{"name":"read_file","arguments":"{\\"absolute_path\\":\\"/srv/app/config.toml\\"'
             b'}"},"extra_content":{"google":{"thought_signature":"+//qNamcsdwQ6+eMm4dFQztIGHoVq8WqpQfT42K'
             b"Yu2TU/toGEjn9+eota1UorkqY5XWJ7yyrjo9QkNGunS/647/gkB9iwzf4/pC3TudOEqPktcJ8eaKOh4L55NUfT4ch9D"
             b'U="}}},{"id":"call_GrmMUD5m4Bz3QBqwkJWhiBD7","type":"function","function":{"name":"search_f'
             b'ile_content","arguments":"{\\"pattern\\":\\"port\\\\\\\\s*=\\"}"},"extra_content":{"google"'
             b':{"thought_signature":"+/9y9yLZpKzaURdcmUUKKBBksmz3jYvUigC67CBlqEanE56nP1EjVVJN6tjpvbRzsD4e'
             b'ss4C5yMDE9fFK4Lc7QSHUMxNfOqFcZ5i6wA5UX+2oeVQiA3fj0pMAAUTH1J4o9c="}}}]},"logprobs":null,"fin'
             b'ish_reason":"tool_calls"}],"usage":{"prompt_tokens":11,"completion_tokens":7,"total_tokens"'
             b":18}}"),
        ],
    ),
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"id":"chatcmpl-7rfLMc9YibP8xbAzk7EaRXbP","object":"chat.completion","created":1760000000,"'
             b'model":"gemini-3-pro-preview","choices":[{"index":0,"message":{"role":"assistant","content"'
             b':"In config.toml, on its first line.","refusal":null},"logprobs":null,"finish_reason":"stop'
             b'"}],"usage":{"prompt_tokens":11,"completion_tokens":7,"total_tokens":18}}'),
        ],
    ),
]


class Provider(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        if not {"messages", "contents", "input"} & json.loads(body).keys():
            return self.send_error(404)  # not a model call
        print(f"\n--> POST {self.path}\n{body.decode()}", flush=True)
        status, headers, chunks = ANSWERS.pop(0) if len(ANSWERS) > 1 else ANSWERS[0]
        self.send_response(status)
        for name, value in {**headers, "transfer-encoding": "chunked"}.items():
            self.send_header(name, value)
        self.end_headers()
        for chunk in [*chunks, b""]:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))

    def log_message(self, *args):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
server.handle_error = lambda *args: None  # a client that hangs up
threading.Thread(target=server.serve_forever, daemon=True).start()
BASE_URL = f"http://127.0.0.1:{server.server_port}"

model = openai_models.Chat(
    model_id="gemini-3-pro-preview",
    model_name="gemini-3-pro-preview",
    key="test-key",
    api_base=BASE_URL + "/v1",
    supports_tools=True,
)
talk = model.conversation()

prompt = "Where is the port set?"
tool_results = []
tools = [
    Tool(
        name="read_file",
        description="Read a file",
        input_schema={
            "type": "object",
            "properties": {
                "absolute_path": {"type": "string", "description": "The absolute path of the file"},
                "offset": {"type": "integer", "description": "The first line to read"},
                "limit": {"type": "integer", "description": "How many lines to read"},
            },
            "required": ["absolute_path"],
        },
    ),
    Tool(
        name="search_file_content",
        description="Search file contents with a regular expression",
        input_schema={
            "type": "object",
            "properties": {
                "pattern": {"type": "string", "description": "A regular expression"},
                "path": {"type": "string", "description": "Where to search"},
                "include": {"type": "string", "description": "A glob pattern of files to search"},
                "max_matches": {"type": "integer", "description": "When to stop"},
            },
            "required": ["pattern"],
        },
    ),
]


def ask():
    answer = talk.prompt(
        prompt=prompt,
        tool_results=tool_results,
        system=None,
        tools=tools,
        max_tokens=1024,
        stream=False,
    )
    answer.text()
    return answer


answer = ask()
print(f"\n<-- {(answer.text(), answer.tool_calls(), answer.json())!r}")
calls = answer.tool_calls()
prompt = None
tool_results = [
    ToolResult(name="read_file", output="port = 8080", tool_call_id=calls[0].tool_call_id),
    ToolResult(
        name="search_file_content",
        output="/srv/app/config.toml:1: port = 8080",
        tool_call_id=calls[1].tool_call_id,
    ),
]
answer = ask()
print(f"\n<-- {(answer.text(), answer.tool_calls(), answer.json())!r}")

# compat.history.gemini-openai-thought-signature: On Gemini's OpenAI-compatible endpoint
#   tool_calls[].extra_content.google.thought_signature is replayed unchanged.
#   at:       /messages/1/tool_calls/0/extra_content/google/thought_signature in request 2
#   expected: +//qNamcsdwQ6+eMm4dFQztIGHoVq8WqpQfT42KYu2TU/toGEjn9+eota1UorkqY5XWJ7yyrjo9QkNGunS/647/gkB9iwzf4/pC3TudOEqPktcJ8eaKOh4L55NUfT4ch9DU=
#   found:    null
#   harness:  conformance run env:llm --provider openai-chat --scenario quirks.signed_calls --delivery blocking --rule compat.history.gemini-openai-thought-signature
