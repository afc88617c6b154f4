# pip install llama-index-core==0.14.25 llama-index-llms-openai llama-index-llms-anthropic 'anthropic<1'

# errors.length_in_arguments/stream:per-event on openai-responses, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.tools import FunctionTool, ToolMetadata
from llama_index.llms.openai import OpenAIResponses
from pydantic import BaseModel

ANSWERS = [
    (
        200,
        {"content-type": "text/event-stream; charset=utf-8"},
        [
            (b"event: response.created\n"
             b'data: {"type":"response.created","sequence_number":0,"response":{"id":"resp_EZG4jhthRa5wGpj'
             b'zG955DUSKF8HTKPMmC9cDiTixTXKhyb4U","object":"response","created_at":1760000000,"status":"in'
             b'_progress","background":false,"completed_at":null,"error":null,"frequency_penalty":0.0,"inc'
             b'omplete_details":null,"instructions":null,"max_output_tokens":null,"max_tool_calls":null,"m'
             b'odel":"test-model","output":[],"parallel_tool_calls":true,"presence_penalty":0.0,"previous_'
             b'response_id":null,"prompt_cache_key":null,"prompt_cache_retention":null,"reasoning":{"effor'
             b't":null,"summary":null},"safety_identifier":null,"service_tier":"default","store":true,"tem'
             b'perature":1.0,"text":{"format":{"type":"text"},"verbosity":"medium"},"tool_choice":"auto","'
             b'tools":[],"top_logprobs":0,"top_p":1.0,"truncation":"disabled","usage":null,"user":null,"me'
             b'tadata":{}}}\n\n'),
            (b"event: response.in_progress\n"
             b'data: {"type":"response.in_progress","sequence_number":1,"response":{"id":"resp_EZG4jhthRa5'
             b'wGpjzG955DUSKF8HTKPMmC9cDiTixTXKhyb4U","object":"response","created_at":1760000000,"status"'
             b':"in_progress","background":false,"completed_at":null,"error":null,"frequency_penalty":0.0,'
             b'"incomplete_details":null,"instructions":null,"max_output_tokens":null,"max_tool_calls":nul'
             b'l,"model":"test-model","output":[],"parallel_tool_calls":true,"presence_penalty":0.0,"previ'
             b'ous_response_id":null,"prompt_cache_key":null,"prompt_cache_retention":null,"reasoning":{"e'
             b'ffort":null,"summary":null},"safety_identifier":null,"service_tier":"default","store":true,'
             b'"temperature":1.0,"text":{"format":{"type":"text"},"verbosity":"medium"},"tool_choice":"aut'
             b'o","tools":[],"top_logprobs":0,"top_p":1.0,"truncation":"disabled","usage":null,"user":null'
             b',"metadata":{}}}\n\n'),
            (b"event: response.output_item.added\n"
             b'data: {"type":"response.output_item.added","sequence_number":2,"output_index":0,"item":{"id'
             b'":"fc_8iUVoNdVUBgfJrCUpko3EfCAwYMwaoJcNH7wVcy9FCcUEysd","type":"function_call","status":"in'
             b'_progress","arguments":"","call_id":"call_RZL7q777k7huTvuQfbwxZCFX","name":"write_file"}}\n'
             b"\n"),
            (b"event: response.function_call_arguments.delta\n"
             b'data: {"type":"response.function_call_arguments.delta","sequence_number":3,"item_id":"fc_8i'
             b'UVoNdVUBgfJrCUpko3EfCAwYMwaoJcNH7wVcy9FCcUEysd","output_index":0,"delta":"{\\"file_path\\":'
             b' \\"/srv/"}\n\n'),
            (b"event: response.function_call_arguments.delta\n"
             b'data: {"type":"response.function_call_arguments.delta","sequence_number":4,"item_id":"fc_8i'
             b'UVoNdVUBgfJrCUpko3EfCAwYMwaoJcNH7wVcy9FCcUEysd","output_index":0,"delta":"story.md\\", \\"c'
             b'ontent\\""}\n\n'),
            (b"event: response.function_call_arguments.delta\n"
             b'data: {"type":"response.function_call_arguments.delta","sequence_number":5,"item_id":"fc_8i'
             b'UVoNdVUBgfJrCUpko3EfCAwYMwaoJcNH7wVcy9FCcUEysd","output_index":0,"delta":": \\"Once upon a '
             b'time,"}\n\n'),
            (b"event: response.function_call_arguments.delta\n"
             b'data: {"type":"response.function_call_arguments.delta","sequence_number":6,"item_id":"fc_8i'
             b'UVoNdVUBgfJrCUpko3EfCAwYMwaoJcNH7wVcy9FCcUEysd","output_index":0,"delta":" in a \\\\\\"smal'
             b'l\\\\\\" vill"}\n\n'),
            (b"event: response.function_call_arguments.done\n"
             b'data: {"type":"response.function_call_arguments.done","sequence_number":7,"item_id":"fc_8iU'
             b'VoNdVUBgfJrCUpko3EfCAwYMwaoJcNH7wVcy9FCcUEysd","output_index":0,"arguments":"{\\"file_path'
             b'\\": \\"/srv/story.md\\", \\"content\\": \\"Once upon a time, in a \\\\\\"small\\\\\\" vill'
             b'"}\n\n'),
            (b"event: response.output_item.done\n"
             b'data: {"type":"response.output_item.done","sequence_number":8,"output_index":0,"item":{"id"'
             b':"fc_8iUVoNdVUBgfJrCUpko3EfCAwYMwaoJcNH7wVcy9FCcUEysd","type":"function_call","status":"inc'
             b'omplete","arguments":"{\\"file_path\\": \\"/srv/story.md\\", \\"content\\": \\"Once upon a '
             b'time, in a \\\\\\"small\\\\\\" vill","call_id":"call_RZL7q777k7huTvuQfbwxZCFX","name":"writ'
             b'e_file"}}\n\n'),
            (b"event: response.incomplete\n"
             b'data: {"type":"response.incomplete","sequence_number":9,"response":{"id":"resp_EZG4jhthRa5w'
             b'GpjzG955DUSKF8HTKPMmC9cDiTixTXKhyb4U","object":"response","created_at":1760000000,"status":'
             b'"incomplete","background":false,"completed_at":null,"error":null,"frequency_penalty":0.0,"i'
             b'ncomplete_details":{"reason":"max_output_tokens"},"instructions":null,"max_output_tokens":n'
             b'ull,"max_tool_calls":null,"model":"test-model","output":[{"id":"fc_8iUVoNdVUBgfJrCUpko3EfCA'
             b'wYMwaoJcNH7wVcy9FCcUEysd","type":"function_call","status":"incomplete","arguments":"{\\"fil'
             b'e_path\\": \\"/srv/story.md\\", \\"content\\": \\"Once upon a time, in a \\\\\\"small\\\\\\'
             b'" vill","call_id":"call_RZL7q777k7huTvuQfbwxZCFX","name":"write_file"}],"parallel_tool_call'
             b's":true,"presence_penalty":0.0,"previous_response_id":null,"prompt_cache_key":null,"prompt_'
             b'cache_retention":null,"reasoning":{"effort":null,"summary":null},"safety_identifier":null,"'
             b'service_tier":"default","store":true,"temperature":1.0,"text":{"format":{"type":"text"},"ve'
             b'rbosity":"medium"},"tool_choice":"auto","tools":[],"top_logprobs":0,"top_p":1.0,"truncation'
             b'":"disabled","usage":{"input_tokens":11,"input_tokens_details":{"cache_write_tokens":0,"cac'
             b'hed_tokens":0},"output_tokens":7,"output_tokens_details":{"reasoning_tokens":0},"total_toke'
             b'ns":18},"user":null,"metadata":{}}}\n\n'),
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


model = OpenAIResponses(
    model="gpt-4.1",
    api_key="test-key",
    api_base=BASE_URL + "/v1",
    max_retries=0,
    max_output_tokens=1024,
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
chat_history = [ChatMessage(role="user", content="Write a long story.")]


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
#   expected: ["write_file"]
#   found:    []
#   harness:  conformance run env:llama-index --provider openai-responses --scenario errors.length_in_arguments --delivery stream:per-event --rule common.stream.equivalent-to-non-stream
