# pip install llama-index-core==0.14.25 llama-index-llms-openai llama-index-llms-anthropic 'anthropic<1'

# multi_turn.empty_answer/blocking on anthropic, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.tools import FunctionTool, ToolMetadata
from llama_index.llms.anthropic import Anthropic
from pydantic import BaseModel

ANSWERS = [
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"model":"test-model","id":"msg_oGVzNx5iDumJxytPR8uUA4mp","type":"message","role":"assistan'
             b't","content":[{"type":"tool_use","id":"toolu_LoAGnFnaTiNyPZqMHqkDqNFX","name":"write_file",'
             b'"input":{"file_path":"/srv/app/list.json","content":"[]"}}],"stop_reason":"tool_use","stop_'
             b'sequence":null,"stop_details":null,"usage":{"input_tokens":11,"cache_creation_input_tokens"'
             b':0,"cache_read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1'
             b'h_input_tokens":0},"output_tokens":7,"service_tier":"standard"}}'),
        ],
    ),
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"model":"test-model","id":"msg_nkRQaa5JQZcKhQzEUUTXNjCn","type":"message","role":"assistan'
             b't","content":[],"stop_reason":"end_turn","stop_sequence":null,"stop_details":null,"usage":{'
             b'"input_tokens":11,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"cache_creati'
             b'on":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0},"output_tokens":7,"servic'
             b'e_tier":"standard"}}'),
        ],
    ),
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"model":"test-model","id":"msg_awoSouaPsgAENbjuXmb5RXVD","type":"message","role":"assistan'
             b't","content":[{"type":"text","text":"Yes, the file holds an empty list."}],"stop_reason":"e'
             b'nd_turn","stop_sequence":null,"stop_details":null,"usage":{"input_tokens":11,"cache_creatio'
             b'n_input_tokens":0,"cache_read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens"'
             b':0,"ephemeral_1h_input_tokens":0},"output_tokens":7,"service_tier":"standard"}}'),
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


model = Anthropic(
    model="claude-sonnet-4-20250514",
    api_key="test-key",
    base_url=BASE_URL,
    max_retries=0,
    max_tokens=1024,
)

tools = [
    tool(
        name="write_file",
        description="Write a file",
        parameters={
            "type": "object",
            "properties": {
                "file_path": {"type": "string", "description": "The absolute path of the file"},
                "content": {"type": "string", "description": "What to write"},
            },
            "required": ["file_path", "content"],
        },
    ),
]
chat_history = [ChatMessage(role="user", content="Save an empty list.")]


def ask():
    return model.chat_with_tools(tools=tools, chat_history=chat_history, allow_parallel_tool_calls=True)


answer = ask()
print(f"\n<-- {answer!r}")
chat_history.append(answer.message)
calls = model.get_tool_calls_from_response(answer, error_on_no_tool_call=False)
chat_history += [
    ChatMessage(
        role="tool",
        content="Wrote 2 bytes to /srv/app/list.json",
        additional_kwargs={"tool_call_id": calls[0].tool_id},
    ),
]
answer = ask()
print(f"\n<-- {answer!r}")
chat_history.append(answer.message)
chat_history += [ChatMessage(role="user", content="Did it work?")]
answer = ask()
print(f"\n<-- {answer!r}")

# anthropic.history.no-empty-text-blocks: No text block or string content of a message is empty or only white
#   space (drop the block; empty assistant text beside tool_use is dropped), and none in a result or in system
#   is empty. White space is taken beside the model's calls, and anything in a last assistant message.
#   at:       /messages/3/content in request 3
#   expected: text, or no message at all
#   found:    []
#   harness:  conformance run env:llama-index --provider anthropic --scenario multi_turn.empty_answer --delivery blocking --rule anthropic.history.no-empty-text-blocks
