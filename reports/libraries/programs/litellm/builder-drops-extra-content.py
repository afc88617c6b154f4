# pip install litellm[mcp]==1.106.2

# quirks.signed_calls/stream:per-event on openai-chat, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import litellm

ANSWERS = [
    (
        200,
        {"content-type": "text/event-stream; charset=utf-8"},
        [
            (b'data: {"id":"chatcmpl-RKA8qYmcXjQd4BcmVScXpaer","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"gemini-3-pro-preview","choices":[{"index":0,"logprobs":null,"finish_rea'
             b'son":null,"delta":{"role":"assistant","content":null}}]}\n\n'),
            (b'data: {"id":"chatcmpl-RKA8qYmcXjQd4BcmVScXpaer","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"gemini-3-pro-preview","choices":[{"index":0,"logprobs":null,"finish_rea'
             b'son":null,"delta":{"tool_calls":[{"index":0,"id":"call_XgxGoirciUgcX9ddUqWfeBjK","type":"fu'
             b'nction","extra_content":{"google":{"thought_signature":"+//qNamcsdwQ6+eMm4dFQztIGHoVq8WqpQf'
             b"T42KYu2TU/toGEjn9+eota1UorkqY5XWJ7yyrjo9QkNGunS/647/gkB9iwzf4/pC3TudOEqPktcJ8eaKOh4L55NUfT4"
             b'ch9DU="}},"function":{"name":"read_file","arguments":""}}]}}]}\n\n'),
            (b'data: {"id":"chatcmpl-RKA8qYmcXjQd4BcmVScXpaer","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"gemini-3-pro-preview","choices":[{"index":0,"logprobs":null,"finish_rea'
             b'son":null,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\\"absolute"}}]}}]}\n'
             b"\n"),
            (b'data: {"id":"chatcmpl-RKA8qYmcXjQd4BcmVScXpaer","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"gemini-3-pro-preview","choices":[{"index":0,"logprobs":null,"finish_rea'
             b'son":null,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"_path\\":\\"/s"}}]}}]}'
             b"\n\n"),
            (b'data: {"id":"chatcmpl-RKA8qYmcXjQd4BcmVScXpaer","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"gemini-3-pro-preview","choices":[{"index":0,"logprobs":null,"finish_rea'
             b'son":null,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"rv/app/con"}}]}}]}\n\n'),
            (b'data: {"id":"chatcmpl-RKA8qYmcXjQd4BcmVScXpaer","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"gemini-3-pro-preview","choices":[{"index":0,"logprobs":null,"finish_rea'
             b'son":null,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"fig.toml\\"}"}}]}}]}\n'
             b"\n"),
            (b'data: {"id":"chatcmpl-RKA8qYmcXjQd4BcmVScXpaer","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"gemini-3-pro-preview","choices":[{"index":0,"logprobs":null,"finish_rea'
             b'son":null,"delta":{"tool_calls":[{"index":1,"id":"call_GrmMUD5m4Bz3QBqwkJWhiBD7","type":"fu'
             b'nction","extra_content":{"google":{"thought_signature":"+/9y9yLZpKzaURdcmUUKKBBksmz3jYvUigC'
             b"67CBlqEanE56nP1EjVVJN6tjpvbRzsD4ess4C5yMDE9fFK4Lc7QSHUMxNfOqFcZ5i6wA5UX+2oeVQiA3fj0pMAAUTH1"
             b'J4o9c="}},"function":{"name":"search_file_content","arguments":""}}]}}]}\n\n'),
            (b'data: {"id":"chatcmpl-RKA8qYmcXjQd4BcmVScXpaer","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"gemini-3-pro-preview","choices":[{"index":0,"logprobs":null,"finish_rea'
             b'son":null,"delta":{"tool_calls":[{"index":1,"function":{"arguments":"{\\"patt"}}]}}]}\n\n'),
            (b'data: {"id":"chatcmpl-RKA8qYmcXjQd4BcmVScXpaer","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"gemini-3-pro-preview","choices":[{"index":0,"logprobs":null,"finish_rea'
             b'son":null,"delta":{"tool_calls":[{"index":1,"function":{"arguments":"ern\\":\\""}}]}}]}\n\n'),
            (b'data: {"id":"chatcmpl-RKA8qYmcXjQd4BcmVScXpaer","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"gemini-3-pro-preview","choices":[{"index":0,"logprobs":null,"finish_rea'
             b'son":null,"delta":{"tool_calls":[{"index":1,"function":{"arguments":"port\\\\\\\\"}}]}}]}\n'
             b"\n"),
            (b'data: {"id":"chatcmpl-RKA8qYmcXjQd4BcmVScXpaer","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"gemini-3-pro-preview","choices":[{"index":0,"logprobs":null,"finish_rea'
             b'son":null,"delta":{"tool_calls":[{"index":1,"function":{"arguments":"s*=\\"}"}}]}}]}\n\n'),
            (b'data: {"id":"chatcmpl-RKA8qYmcXjQd4BcmVScXpaer","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"gemini-3-pro-preview","choices":[{"index":0,"logprobs":null,"finish_rea'
             b'son":"tool_calls","delta":{}}]}\n\n'),
            (b'data: {"id":"chatcmpl-RKA8qYmcXjQd4BcmVScXpaer","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"gemini-3-pro-preview","choices":[],"usage":{"prompt_tokens":11,"complet'
             b'ion_tokens":7,"total_tokens":18}}\n\n'),
            b"data: [DONE]\n\n",
        ],
    ),
    (
        200,
        {"content-type": "text/event-stream; charset=utf-8"},
        [
            (b'data: {"id":"chatcmpl-7rfLMc9YibP8xbAzk7EaRXbP","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"gemini-3-pro-preview","choices":[{"index":0,"logprobs":null,"finish_rea'
             b'son":null,"delta":{"role":"assistant","content":""}}]}\n\n'),
            (b'data: {"id":"chatcmpl-7rfLMc9YibP8xbAzk7EaRXbP","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"gemini-3-pro-preview","choices":[{"index":0,"logprobs":null,"finish_rea'
             b'son":null,"delta":{"content":"In config"}}]}\n\n'),
            (b'data: {"id":"chatcmpl-7rfLMc9YibP8xbAzk7EaRXbP","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"gemini-3-pro-preview","choices":[{"index":0,"logprobs":null,"finish_rea'
             b'son":null,"delta":{"content":".toml, on"}}]}\n\n'),
            (b'data: {"id":"chatcmpl-7rfLMc9YibP8xbAzk7EaRXbP","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"gemini-3-pro-preview","choices":[{"index":0,"logprobs":null,"finish_rea'
             b'son":null,"delta":{"content":" its firs"}}]}\n\n'),
            (b'data: {"id":"chatcmpl-7rfLMc9YibP8xbAzk7EaRXbP","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"gemini-3-pro-preview","choices":[{"index":0,"logprobs":null,"finish_rea'
             b'son":null,"delta":{"content":"t line."}}]}\n\n'),
            (b'data: {"id":"chatcmpl-7rfLMc9YibP8xbAzk7EaRXbP","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"gemini-3-pro-preview","choices":[{"index":0,"logprobs":null,"finish_rea'
             b'son":"stop","delta":{}}]}\n\n'),
            (b'data: {"id":"chatcmpl-7rfLMc9YibP8xbAzk7EaRXbP","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"gemini-3-pro-preview","choices":[],"usage":{"prompt_tokens":11,"complet'
             b'ion_tokens":7,"total_tokens":18}}\n\n'),
            b"data: [DONE]\n\n",
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

messages = [{"role": "user", "content": "Where is the port set?"}]
tools = [
    {
        "type": "function",
        "function": {
            "name": "read_file",
            "description": "Read a file",
            "parameters": {
                "type": "object",
                "properties": {
                    "absolute_path": {"type": "string", "description": "The absolute path of the file"},
                    "offset": {"type": "integer", "description": "The first line to read"},
                    "limit": {"type": "integer", "description": "How many lines to read"},
                },
                "required": ["absolute_path"],
            },
        },
    },
    {
        "type": "function",
        "function": {
            "name": "search_file_content",
            "description": "Search file contents with a regular expression",
            "parameters": {
                "type": "object",
                "properties": {
                    "pattern": {"type": "string", "description": "A regular expression"},
                    "path": {"type": "string", "description": "Where to search"},
                    "include": {"type": "string", "description": "A glob pattern of files to search"},
                    "max_matches": {"type": "integer", "description": "When to stop"},
                },
                "required": ["pattern"],
            },
        },
    },
]


def ask():
    chunks = litellm.completion(
        model="openai/gpt-4.1",
        messages=messages,
        max_tokens=1024,
        tools=tools,
        api_base=BASE_URL + "/v1",
        api_key="test-key",
        max_retries=0,
        stream=True,
        stream_options={"include_usage": True},
    )
    return litellm.stream_chunk_builder(list(chunks))


answer = ask()
print(f"\n<-- {answer!r}")
messages.append(answer.choices[0].message)
calls = messages[-1].tool_calls or []
messages += [
    {"role": "tool", "tool_call_id": calls[0].id, "name": "read_file", "content": "port = 8080"},
    {
        "role": "tool",
        "tool_call_id": calls[1].id,
        "name": "search_file_content",
        "content": "/srv/app/config.toml:1: port = 8080",
    },
]
answer = ask()
print(f"\n<-- {answer!r}")

# compat.history.gemini-openai-thought-signature: On Gemini's OpenAI-compatible endpoint
#   tool_calls[].extra_content.google.thought_signature is replayed unchanged.
#   at:       /messages/1/tool_calls/0/extra_content/google/thought_signature in request 2
#   expected: +//qNamcsdwQ6+eMm4dFQztIGHoVq8WqpQfT42KYu2TU/toGEjn9+eota1UorkqY5XWJ7yyrjo9QkNGunS/647/gkB9iwzf4/pC3TudOEqPktcJ8eaKOh4L55NUfT4ch9DU=
#   found:    null
#   harness:  conformance run env:litellm --provider openai-chat --scenario quirks.signed_calls --delivery stream:per-event --rule compat.history.gemini-openai-thought-signature
