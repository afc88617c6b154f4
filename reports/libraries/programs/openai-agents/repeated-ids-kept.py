# pip install openai-agents==0.24.0

# quirks.repeated_id/blocking on openai-responses, without the harness: this program is the provider, too.

import asyncio
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from agents import FunctionTool, ModelSettings
from agents.models.interface import ModelTracing
from agents.models.openai_responses import OpenAIResponsesModel
from openai import AsyncOpenAI

ANSWERS = [
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"id":"resp_g58araQLmCntSwYWRcZ3dbpcNe7amJZumGyYRNR8XcCuERoW","object":"response","created_'
             b'at":1760000000,"status":"completed","background":false,"completed_at":1760000002,"error":nu'
             b'll,"frequency_penalty":0.0,"incomplete_details":null,"instructions":null,"max_output_tokens'
             b'":null,"max_tool_calls":null,"model":"test-model","output":[{"id":"fc_pzQSpVjSFNsQyRZFZwyyR'
             b'GvTUTp7oUNDPVkGE3KJmD5KzCXS","type":"function_call","status":"completed","arguments":"{\\"a'
             b'bsolute_path\\":\\"/srv/a.txt\\"}","call_id":"call_TTfpTsDEo6FaHURW2SB7SNqM","name":"read_f'
             b'ile"},{"id":"fc_gEAcAr8LFm95wvEGV63eMjWeBiEgoAxM8UMUrWxR4YaN5k8D","type":"function_call","s'
             b'tatus":"completed","arguments":"{\\"absolute_path\\":\\"/srv/b.txt\\"}","call_id":"call_TTf'
             b'pTsDEo6FaHURW2SB7SNqM","name":"read_file"}],"parallel_tool_calls":true,"presence_penalty":0'
             b'.0,"previous_response_id":null,"prompt_cache_key":null,"prompt_cache_retention":null,"reaso'
             b'ning":{"effort":null,"summary":null},"safety_identifier":null,"service_tier":"default","sto'
             b're":true,"temperature":1.0,"text":{"format":{"type":"text"},"verbosity":"medium"},"tool_cho'
             b'ice":"auto","tools":[],"top_logprobs":0,"top_p":1.0,"truncation":"disabled","usage":{"input'
             b'_tokens":11,"input_tokens_details":{"cache_write_tokens":0,"cached_tokens":0},"output_token'
             b's":7,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":18},"user":null,"metadat'
             b'a":{}}'),
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

loop = asyncio.new_event_loop()  # for all calls, because connections are kept for one

client = AsyncOpenAI(base_url=BASE_URL + "/v1", api_key="test-key", max_retries=0)
model = OpenAIResponsesModel("test-model", client)

items = [{"role": "user", "content": "Compare a.txt with b.txt."}]
model_settings = ModelSettings(max_tokens=1024, include_usage=True)
tools = [
    FunctionTool(
        name="read_file",
        description="Read a file",
        params_json_schema={
            "type": "object",
            "properties": {
                "absolute_path": {"type": "string", "description": "The absolute path of the file"},
                "offset": {"type": "integer", "description": "The first line to read"},
                "limit": {"type": "integer", "description": "How many lines to read"},
            },
            "required": ["absolute_path"],
        },
        on_invoke_tool=None,
        strict_json_schema=False,
    ),
]


def ask():
    return loop.run_until_complete(model.get_response(
        system_instructions=None,
        input=items,
        model_settings=model_settings,
        tools=tools,
        output_schema=None,
        handoffs=[],
        tracing=ModelTracing.DISABLED,
        previous_response_id=None,
        conversation_id=None,
        prompt=None,
    ))


answer = ask()
print(f"\n<-- {answer!r}")

# common.ids.unique-in-conversation: Call ids as the application sees them are not empty and are unique in the
#   conversation: ids that sloppy gateways leave out or repeat are minted anew.
#   at:       /calls/1/id in what the library makes of answer 1
#   expected: an id of its own
#   found:    call_TTfpTsDEo6FaHURW2SB7SNqM
#   harness:  conformance run env:openai-agents --provider openai-responses --scenario quirks.repeated_id --delivery blocking --rule common.ids.unique-in-conversation
