# pip install llama-index-core==0.14.25 llama-index-llms-openai llama-index-llms-anthropic 'anthropic<1'

# quirks.unknown_fields/blocking on openai-responses, without the harness: this program is the provider, too.

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
        {"content-type": "application/json"},
        [
            (b'{"id":"resp_q4ecTmH3qcAMxCNjtRag9DxDQ526cCMYdBAfzkccLafmaaqF","object":"response","created_'
             b'at":1760000000,"status":"completed","background":false,"completed_at":1760000002,"error":nu'
             b'll,"frequency_penalty":0.0,"incomplete_details":null,"instructions":null,"max_output_tokens'
             b'":null,"max_tool_calls":null,"model":"test-model","output":[{"id":"xu_EhZpQaanhSA2AZ5BbtgaP'
             b'KkadyBHo6m2TiVjNDSzq4pQf5Hd","type":"x_unknown_call","status":"completed","input":"?","x_un'
             b'known":{"nested":[1]}},{"id":"msg_3YBWNhUy9a2fMHJZZRSZ6E9NJoghVHK2pu9sLgNQLQptZaZg","type":'
             b'"message","status":"completed","content":[{"type":"output_text","annotations":[],"logprobs"'
             b':[],"text":"I will.","x_unknown":{"nested":[1]}}],"role":"assistant","x_unknown":{"nested":'
             b'[1]}},{"id":"fc_KwcuajkUcxDAGQ3SZp8uprZDxKrqTb75yhdnW7wm8fuGAHEv","type":"function_call","s'
             b'tatus":"completed","arguments":"{\\"absolute_path\\":\\"/srv/a.txt\\"}","call_id":"call_JfJ'
             b'z6H2Eeh7RuXSzH3zVSW9v","name":"read_file","x_unknown":{"nested":[1]}}],"parallel_tool_calls'
             b'":true,"presence_penalty":0.0,"previous_response_id":null,"prompt_cache_key":null,"prompt_c'
             b'ache_retention":null,"reasoning":{"effort":null,"summary":null,"x_unknown":{"nested":[1]}},'
             b'"safety_identifier":null,"service_tier":"default","store":true,"temperature":1.0,"text":{"f'
             b'ormat":{"type":"text","x_unknown":{"nested":[1]}},"verbosity":"medium","x_unknown":{"nested'
             b'":[1]}},"tool_choice":"auto","tools":[],"top_logprobs":0,"top_p":1.0,"truncation":"disabled'
             b'","usage":{"input_tokens":11,"input_tokens_details":{"cache_write_tokens":0,"cached_tokens"'
             b':0,"x_unknown":{"nested":[1]}},"output_tokens":7,"output_tokens_details":{"reasoning_tokens'
             b'":0,"x_unknown":{"nested":[1]}},"total_tokens":18,"x_unknown":{"nested":[1]}},"user":null,"'
             b'metadata":{},"x_unknown":{"nested":[1]}}'),
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
    return model.chat_with_tools(tools=tools, chat_history=chat_history, allow_parallel_tool_calls=True)


answer = ask()
print(f"\n<-- {answer!r}")

# common.parse.unknown-fields-tolerated: Unknown response fields, block/item/event types and enum values are
#   ignored or kept opaque, never fatal.
#   at:       (whole) in what the library makes of answer 1
#   expected: the turn that the provider sent
#   found:    complete raised TypeError: 'NoneType' object is not iterable
#   harness:  conformance run env:llama-index --provider openai-responses --scenario quirks.unknown_fields --delivery blocking --rule common.parse.unknown-fields-tolerated
