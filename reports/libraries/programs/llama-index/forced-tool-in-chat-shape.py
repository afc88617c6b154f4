# pip install llama-index-core==0.14.25 llama-index-llms-openai llama-index-llms-anthropic 'anthropic<1'

# tool_choice.forced_renamed_tool/blocking on openai-responses, without the harness: this program is the provider, too.

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
            (b'{"id":"resp_83iJWC4R8WVgN8KXW22CHpLSGDMYusCi8ogFmTza3QVveFgE","object":"response","created_'
             b'at":1760000000,"status":"completed","background":false,"completed_at":1760000002,"error":nu'
             b'll,"frequency_penalty":0.0,"incomplete_details":null,"instructions":null,"max_output_tokens'
             b'":null,"max_tool_calls":null,"model":"test-model","output":[{"id":"fc_Q8aZBYqby4KPBgofqCkKR'
             b'CPXQgSiTvwyiPfCDSToKDmfGPUU","type":"function_call","status":"completed","arguments":"{\\"t'
             b'itle\\":\\"Login page is broken\\"}","call_id":"call_TeTtM69vBGQSRF3mLJ9YFbGX","name":"tick'
             b'ets__create_ticket"}],"parallel_tool_calls":true,"presence_penalty":0.0,"previous_response_'
             b'id":null,"prompt_cache_key":null,"prompt_cache_retention":null,"reasoning":{"effort":null,"'
             b'summary":null},"safety_identifier":null,"service_tier":"default","store":true,"temperature"'
             b':1.0,"text":{"format":{"type":"text"},"verbosity":"medium"},"tool_choice":"auto","tools":[]'
             b',"top_logprobs":0,"top_p":1.0,"truncation":"disabled","usage":{"input_tokens":11,"input_tok'
             b'ens_details":{"cache_write_tokens":0,"cached_tokens":0},"output_tokens":7,"output_tokens_de'
             b'tails":{"reasoning_tokens":0},"total_tokens":18},"user":null,"metadata":{}}'),
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
        name="tickets__create_ticket",
        description="Open a ticket",
        parameters={"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]},
    ),
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
chat_history = [ChatMessage(role="user", content="The login page is broken.")]


def ask():
    return model.chat_with_tools(
        tools=tools,
        chat_history=chat_history,
        allow_parallel_tool_calls=True,
        tool_choice="tickets__create_ticket",
    )


answer = ask()
print(f"\n<-- {answer!r}")

# responses.choose.mode-mapping: tool_choice is "auto", "none" or "required" as the application chose; a forced
#   tool is flat {type:"function", name}, one of the provider's own {type}.
#   at:       /tool_choice in request 1
#   expected: {"type": "function", "name": "tickets__create_ticket"}
#   found:    {"type": "function", "function": {"name": "tickets__create_ticket"}}
#   harness:  conformance run env:llama-index --provider openai-responses --scenario tool_choice.forced_renamed_tool --delivery blocking --rule responses.choose.mode-mapping
