# pip install llama-index-core==0.14.25 llama-index-llms-openai llama-index-llms-anthropic 'anthropic<1'

# parallel_calls.interleaved/stream:per-event on openai-chat, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.tools import FunctionTool, ToolMetadata
from llama_index.llms.openai import OpenAI
from pydantic import BaseModel

ANSWERS = [
    (
        200,
        {"content-type": "text/event-stream; charset=utf-8"},
        [
            (b'data: {"id":"chatcmpl-NmUUgZsqijzJnAPyGBu7oYG5","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,'
             b'"delta":{"role":"assistant","content":null}}]}\n\n'),
            (b'data: {"id":"chatcmpl-NmUUgZsqijzJnAPyGBu7oYG5","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,'
             b'"delta":{"tool_calls":[{"index":0,"id":"call_9DXwvYtn6SuPYTCVZLsmpysz","type":"function","f'
             b'unction":{"name":"read_file","arguments":""}}]}}]}\n\n'),
            (b'data: {"id":"chatcmpl-NmUUgZsqijzJnAPyGBu7oYG5","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,'
             b'"delta":{"tool_calls":[{"index":1,"id":"call_twbgSAcBPTMSFPVozPqAR6S9","type":"function","f'
             b'unction":{"name":"search_file_content","arguments":""}}]}}]}\n\n'),
            (b'data: {"id":"chatcmpl-NmUUgZsqijzJnAPyGBu7oYG5","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,'
             b'"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\\"absolute_p"}}]}}]}\n\n'),
            (b'data: {"id":"chatcmpl-NmUUgZsqijzJnAPyGBu7oYG5","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,'
             b'"delta":{"tool_calls":[{"index":1,"function":{"arguments":"{\\"pattern\\":\\""}}]}}]}\n\n'),
            (b'data: {"id":"chatcmpl-NmUUgZsqijzJnAPyGBu7oYG5","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,'
             b'"delta":{"tool_calls":[{"index":0,"function":{"arguments":"ath\\":\\"/srv/a"}}]}}]}\n\n'),
            (b'data: {"id":"chatcmpl-NmUUgZsqijzJnAPyGBu7oYG5","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,'
             b'"delta":{"tool_calls":[{"index":1,"function":{"arguments":"max_?retries"}}]}}]}\n\n'),
            (b'data: {"id":"chatcmpl-NmUUgZsqijzJnAPyGBu7oYG5","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,'
             b'"delta":{"tool_calls":[{"index":0,"function":{"arguments":"pp/config/re"}}]}}]}\n\n'),
            (b'data: {"id":"chatcmpl-NmUUgZsqijzJnAPyGBu7oYG5","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,'
             b'"delta":{"tool_calls":[{"index":1,"function":{"arguments":"\\",\\"path\\":\\"/s"}}]}}]}\n\n'),
            (b'data: {"id":"chatcmpl-NmUUgZsqijzJnAPyGBu7oYG5","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,'
             b'"delta":{"tool_calls":[{"index":0,"function":{"arguments":"try.yaml\\"}"}}]}}]}\n\n'),
            (b'data: {"id":"chatcmpl-NmUUgZsqijzJnAPyGBu7oYG5","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,'
             b'"delta":{"tool_calls":[{"index":1,"function":{"arguments":"rv/app/src\\"}"}}]}}]}\n\n'),
            (b'data: {"id":"chatcmpl-NmUUgZsqijzJnAPyGBu7oYG5","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":"tool'
             b'_calls","delta":{}}]}\n\n'),
            (b'data: {"id":"chatcmpl-NmUUgZsqijzJnAPyGBu7oYG5","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[],"usage":{"prompt_tokens":11,"completion_tokens'
             b'":7,"total_tokens":18}}\n\n'),
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


def tool(name, description, parameters):
    """A tool whose schema class tells the tool's own schema."""
    schema = {"model_json_schema": classmethod(lambda cls, *args, **options: parameters)}
    metadata = ToolMetadata(name=name, description=description, fn_schema=type("Parameters", (BaseModel,), schema))
    return FunctionTool(fn=lambda **arguments: None, metadata=metadata)


model = OpenAI(model="gpt-4.1", api_key="test-key", api_base=BASE_URL + "/v1", max_retries=0, max_tokens=1024)

tools = [
    tool(
        name="read_file",
        description="Read a file",
        parameters={
            "type": "object",
            "properties": {
                "absolute_path": {"type": "string", "description": "The absolute path of the file"},
                "offset": {"type": "integer", "description": "The first line to read"},
                "limit": {"type": "integer", "description": "How many lines to read"},
            },
            "required": ["absolute_path"],
        },
    ),
    tool(
        name="search_file_content",
        description="Search file contents with a regular expression",
        parameters={
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
chat_history = [ChatMessage(role="user", content="Look for the retry setting.")]


def ask():
    return list(model.stream_chat_with_tools(
        tools=tools,
        chat_history=chat_history,
        allow_parallel_tool_calls=True,
    ))


answer = ask()
print(f"\n<-- {answer!r}")

# common.stream.equivalent-to-non-stream: A stream is understood as the same turn (text, calls, ids, arguments,
#   stop, usage) as the equivalent blocking response, however its bytes are cut.
#   at:       /calls in what the library makes of answer 1
#   expected: ["read_file", "search_file_content"]
#   found:    ["read_file", "search_file_content", "", "", "", "", "", "", "", ""]
#   harness:  conformance run env:llama-index --provider openai-chat --scenario parallel_calls.interleaved --delivery stream:per-event --rule common.stream.equivalent-to-non-stream
