# pip install openai-agents==0.24.0

# errors.length_in_arguments/blocking on openai-responses, without the harness: this program is the provider, too.

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
            (b'{"id":"resp_EZG4jhthRa5wGpjzG955DUSKF8HTKPMmC9cDiTixTXKhyb4U","object":"response","created_'
             b'at":1760000000,"status":"incomplete","background":false,"completed_at":null,"error":null,"f'
             b'requency_penalty":0.0,"incomplete_details":{"reason":"max_output_tokens"},"instructions":nu'
             b'll,"max_output_tokens":null,"max_tool_calls":null,"model":"test-model","output":[{"id":"fc_'
             b'8iUVoNdVUBgfJrCUpko3EfCAwYMwaoJcNH7wVcy9FCcUEysd","type":"function_call","status":"incomple'
             b'te","arguments":"{\\"file_path\\": \\"/srv/story.md\\", \\"content\\": \\"Once upon a time,'
             b' in a \\\\\\"small\\\\\\" vill","call_id":"call_RZL7q777k7huTvuQfbwxZCFX","name":"write_fil'
             b'e"}],"parallel_tool_calls":true,"presence_penalty":0.0,"previous_response_id":null,"prompt_'
             b'cache_key":null,"prompt_cache_retention":null,"reasoning":{"effort":null,"summary":null},"s'
             b'afety_identifier":null,"service_tier":"default","store":true,"temperature":1.0,"text":{"for'
             b'mat":{"type":"text"},"verbosity":"medium"},"tool_choice":"auto","tools":[],"top_logprobs":0'
             b',"top_p":1.0,"truncation":"disabled","usage":{"input_tokens":11,"input_tokens_details":{"ca'
             b'che_write_tokens":0,"cached_tokens":0},"output_tokens":7,"output_tokens_details":{"reasonin'
             b'g_tokens":0},"total_tokens":18},"user":null,"metadata":{}}'),
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

items = [{"role": "user", "content": "Write a long story."}]
model_settings = ModelSettings(max_tokens=1024, include_usage=True)
tools = [
    FunctionTool(
        name="write_file",
        description="Write a file",
        params_json_schema={
            "type": "object",
            "properties": {
                "file_path": {"type": "string", "description": "The absolute path of the file"},
                "content": {"type": "string", "description": "What to write"},
            },
            "required": ["file_path", "content"],
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

# common.parse.invalid-json-arguments: Arguments that are not valid JSON (truncated, trailing text) neither
#   crash parsing nor silently become {}: the call is surfaced with raw text and an explicit invalid flag.
#   at:       /calls in what the library makes of answer 1
#   expected: a call of write_file that is marked invalid
#   found:    no such call
#   harness:  conformance run env:openai-agents --provider openai-responses --scenario errors.length_in_arguments --delivery blocking --rule common.parse.invalid-json-arguments
