# pip install llama-index-core==0.14.25 llama-index-llms-openai llama-index-llms-anthropic 'anthropic<1'

# quirks.id_repeated_in_deltas/stream:per-event on openai-chat, without the harness: this program is the provider, too.

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
            (b'data: {"id":"chatcmpl-U3fNPbs493U6NAw5ByRHoqVV","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,'
             b'"delta":{"role":"assistant","content":null}}]}\n\n'),
            (b'data: {"id":"chatcmpl-U3fNPbs493U6NAw5ByRHoqVV","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,'
             b'"delta":{"tool_calls":[{"index":0,"id":"call_9y9xEWSNXC8D6Bb2LUZRfpCS","type":"function","f'
             b'unction":{"name":"read_file","arguments":""}}]}}]}\n\n'),
            (b'data: {"id":"chatcmpl-U3fNPbs493U6NAw5ByRHoqVV","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,'
             b'"delta":{"tool_calls":[{"index":0,"id":"call_9y9xEWSNXC8D6Bb2LUZRfpCS","type":"function","f'
             b'unction":{"name":"read_file","arguments":"{\\"absolute_"}}]}}]}\n\n'),
            (b'data: {"id":"chatcmpl-U3fNPbs493U6NAw5ByRHoqVV","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,'
             b'"delta":{"tool_calls":[{"index":0,"id":"call_9y9xEWSNXC8D6Bb2LUZRfpCS","type":"function","f'
             b'unction":{"name":"read_file","arguments":"path\\":\\"/srv"}}]}}]}\n\n'),
            (b'data: {"id":"chatcmpl-U3fNPbs493U6NAw5ByRHoqVV","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,'
             b'"delta":{"tool_calls":[{"index":0,"id":"call_9y9xEWSNXC8D6Bb2LUZRfpCS","type":"function","f'
             b'unction":{"name":"read_file","arguments":"/a.txt\\",\\"li"}}]}}]}\n\n'),
            (b'data: {"id":"chatcmpl-U3fNPbs493U6NAw5ByRHoqVV","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,'
             b'"delta":{"tool_calls":[{"index":0,"id":"call_9y9xEWSNXC8D6Bb2LUZRfpCS","type":"function","f'
             b'unction":{"name":"read_file","arguments":"mit\\":10}"}}]}}]}\n\n'),
            (b'data: {"id":"chatcmpl-U3fNPbs493U6NAw5ByRHoqVV","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":"tool'
             b'_calls","delta":{}}]}\n\n'),
            (b'data: {"id":"chatcmpl-U3fNPbs493U6NAw5ByRHoqVV","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[],"usage":{"prompt_tokens":11,"completion_tokens'
             b'":7,"total_tokens":18}}\n\n'),
            b"data: [DONE]\n\n",
        ],
    ),
    (
        200,
        {"content-type": "text/event-stream; charset=utf-8"},
        [
            (b'data: {"id":"chatcmpl-Xw6Z7fZ45UcUp7SFssA9frKF","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,'
             b'"delta":{"role":"assistant","content":""}}]}\n\n'),
            (b'data: {"id":"chatcmpl-Xw6Z7fZ45UcUp7SFssA9frKF","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,'
             b'"delta":{"content":"It s"}}]}\n\n'),
            (b'data: {"id":"chatcmpl-Xw6Z7fZ45UcUp7SFssA9frKF","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,'
             b'"delta":{"content":"ays "}}]}\n\n'),
            (b'data: {"id":"chatcmpl-Xw6Z7fZ45UcUp7SFssA9frKF","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,'
             b'"delta":{"content":"hell"}}]}\n\n'),
            (b'data: {"id":"chatcmpl-Xw6Z7fZ45UcUp7SFssA9frKF","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":null,'
             b'"delta":{"content":"o."}}]}\n\n'),
            (b'data: {"id":"chatcmpl-Xw6Z7fZ45UcUp7SFssA9frKF","object":"chat.completion.chunk","created":'
             b'1760000000,"model":"test-model","choices":[{"index":0,"logprobs":null,"finish_reason":"stop'
             b'","delta":{}}]}\n\n'),
            (b'data: {"id":"chatcmpl-Xw6Z7fZ45UcUp7SFssA9frKF","object":"chat.completion.chunk","created":'
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
]
chat_history = [ChatMessage(role="user", content="Read a.txt.")]


def ask():
    return list(model.stream_chat_with_tools(
        tools=tools,
        chat_history=chat_history,
        allow_parallel_tool_calls=True,
    ))


answer = ask()
print(f"\n<-- {answer!r}")
chat_history.append(answer[-1].message)
calls = model.get_tool_calls_from_response(answer[-1], error_on_no_tool_call=False)
chat_history += [
    ChatMessage(role="tool", content="hello", additional_kwargs={"tool_call_id": calls[0].tool_id}),
]
answer = ask()
print(f"\n<-- {answer!r}")

# common.ids.verbatim-round-trip: A provider-issued call id is echoed byte-for-byte in the replayed call and in
#   its result (same provider, same conversation).
#   at:       /messages/1/tool_calls/0/id in request 2
#   expected: call_9y9xEWSNXC8D6Bb2LUZRfpCS
#   found:    call_9y9xEWSNXC8D6Bb2LUZRfpCScall_9y9xEWSNXC8D6Bb2LUZRfpCScall_9y9xEWSNXC8D6Bb2LUZRfpCScall_9y9xEWSNXC8D6Bb2LUZRfpCScall_9y9xEWSNXC8D6Bb2LUZRfpCS
#   harness:  conformance run env:llama-index --provider openai-chat --scenario quirks.id_repeated_in_deltas --delivery stream:per-event --rule common.ids.verbatim-round-trip
