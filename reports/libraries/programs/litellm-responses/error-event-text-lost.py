# pip install litellm[mcp]==1.106.2

# errors.stream_error_in_second_call/stream:per-event on openai-responses, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import litellm

ANSWERS = [
    (
        200,
        {"content-type": "text/event-stream; charset=utf-8"},
        [
            (b"event: response.created\n"
             b'data: {"type":"response.created","sequence_number":0,"response":{"id":"resp_2Z6UhanJaR8kXG9'
             b'rGzX3dDMnM6jZnAtSbD8c2rbHR48vw6NX","object":"response","created_at":1760000000,"status":"in'
             b'_progress","background":false,"completed_at":null,"error":null,"frequency_penalty":0.0,"inc'
             b'omplete_details":null,"instructions":null,"max_output_tokens":null,"max_tool_calls":null,"m'
             b'odel":"test-model","output":[],"parallel_tool_calls":true,"presence_penalty":0.0,"previous_'
             b'response_id":null,"prompt_cache_key":null,"prompt_cache_retention":null,"reasoning":{"effor'
             b't":null,"summary":null},"safety_identifier":null,"service_tier":"default","store":true,"tem'
             b'perature":1.0,"text":{"format":{"type":"text"},"verbosity":"medium"},"tool_choice":"auto","'
             b'tools":[],"top_logprobs":0,"top_p":1.0,"truncation":"disabled","usage":null,"user":null,"me'
             b'tadata":{}}}\n\n'),
            (b"event: response.in_progress\n"
             b'data: {"type":"response.in_progress","sequence_number":1,"response":{"id":"resp_2Z6UhanJaR8'
             b'kXG9rGzX3dDMnM6jZnAtSbD8c2rbHR48vw6NX","object":"response","created_at":1760000000,"status"'
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
             b'":"fc_Xrhjb5eVbLUTo7gXayD9opigYmbES3qXRKkofAGRCVo4fCBG","type":"function_call","status":"in'
             b'_progress","arguments":"","call_id":"call_XsTFAJrRXvcdW5B7BERHkw7K","name":"run_shell_comma'
             b'nd"}}\n\n'),
            (b"event: response.function_call_arguments.delta\n"
             b'data: {"type":"response.function_call_arguments.delta","sequence_number":3,"item_id":"fc_Xr'
             b'hjb5eVbLUTo7gXayD9opigYmbES3qXRKkofAGRCVo4fCBG","output_index":0,"delta":"{\\"comman"}\n\n'),
            (b"event: response.function_call_arguments.delta\n"
             b'data: {"type":"response.function_call_arguments.delta","sequence_number":4,"item_id":"fc_Xr'
             b'hjb5eVbLUTo7gXayD9opigYmbES3qXRKkofAGRCVo4fCBG","output_index":0,"delta":"d\\":\\"syst"}\n'
             b"\n"),
            (b"event: response.function_call_arguments.delta\n"
             b'data: {"type":"response.function_call_arguments.delta","sequence_number":5,"item_id":"fc_Xr'
             b'hjb5eVbLUTo7gXayD9opigYmbES3qXRKkofAGRCVo4fCBG","output_index":0,"delta":"emctl st"}\n\n'),
            (b"event: response.function_call_arguments.delta\n"
             b'data: {"type":"response.function_call_arguments.delta","sequence_number":6,"item_id":"fc_Xr'
             b'hjb5eVbLUTo7gXayD9opigYmbES3qXRKkofAGRCVo4fCBG","output_index":0,"delta":"op app\\"}"}\n\n'),
            (b"event: response.function_call_arguments.done\n"
             b'data: {"type":"response.function_call_arguments.done","sequence_number":7,"item_id":"fc_Xrh'
             b'jb5eVbLUTo7gXayD9opigYmbES3qXRKkofAGRCVo4fCBG","output_index":0,"arguments":"{\\"command\\"'
             b':\\"systemctl stop app\\"}"}\n\n'),
            (b"event: response.output_item.done\n"
             b'data: {"type":"response.output_item.done","sequence_number":8,"output_index":0,"item":{"id"'
             b':"fc_Xrhjb5eVbLUTo7gXayD9opigYmbES3qXRKkofAGRCVo4fCBG","type":"function_call","status":"com'
             b'pleted","arguments":"{\\"command\\":\\"systemctl stop app\\"}","call_id":"call_XsTFAJrRXvcd'
             b'W5B7BERHkw7K","name":"run_shell_command"}}\n\n'),
            (b"event: response.output_item.added\n"
             b'data: {"type":"response.output_item.added","sequence_number":9,"output_index":1,"item":{"id'
             b'":"fc_L6TQCqkaKM24QQyKJ5RH4HwcDHtxRvzd88oTgMZkUYJpJc4T","type":"function_call","status":"in'
             b'_progress","arguments":"","call_id":"call_yFDdmgiR5tpwAePhY94oh2TU","name":"run_shell_comma'
             b'nd"}}\n\n'),
            (b"event: response.function_call_arguments.delta\n"
             b'data: {"type":"response.function_call_arguments.delta","sequence_number":10,"item_id":"fc_L'
             b'6TQCqkaKM24QQyKJ5RH4HwcDHtxRvzd88oTgMZkUYJpJc4T","output_index":1,"delta":"{\\"command\\":'
             b'\\"r"}\n\n'),
            (b"event: response.function_call_arguments.delta\n"
             b'data: {"type":"response.function_call_arguments.delta","sequence_number":11,"item_id":"fc_L'
             b'6TQCqkaKM24QQyKJ5RH4HwcDHtxRvzd88oTgMZkUYJpJc4T","output_index":1,"delta":"m -rf /srv/ap"}'
             b"\n\n"),
            (b"event: error\n"
             b'data: {"type":"error","sequence_number":12,"code":"rate_limit_exceeded","message":"Quota ex'
             b'ceeded","param":null}\n\n'),
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

items = [{"role": "user", "content": "Stop the service and clean up."}]
tools = [
    {
        "type": "function",
        "name": "run_shell_command",
        "description": "Execute a shell command",
        "parameters": {
            "type": "object",
            "properties": {
                "command": {"type": "string", "description": "The command line to run"},
                "directory": {"type": "string", "description": "Where to run it"},
                "description": {"type": "string", "description": "What it is for"},
            },
            "required": ["command"],
        },
        "strict": False,
    },
]


def ask():
    return list(litellm.responses(
        model="openai/gpt-5",
        input=items,
        max_output_tokens=1024,
        tools=tools,
        api_base=BASE_URL + "/v1",
        api_key="test-key",
        max_retries=0,
        stream=True,
    ))


try:
    answer = ask()
    print(f"\n<-- {answer!r}")
except Exception as problem:
    print(f"\n<-- {problem!r}\n    {vars(problem)}")

# responses.stream.terminal-and-error: A stream ends with response.completed, response.incomplete,
#   response.failed or {type:"error",code,message,param}, and without [DONE]; failed and error are surfaced as
#   the provider's error.
#   at:       /error/message in what the library makes of answer 1
#   expected: Quota exceeded
#   found:    litellm.MidStreamFallbackError: litellm.InternalServerError: InternalServerError: OpenAIException - Response API in-stream error Original exception: InternalServerError: litellm.InternalServerError: InternalServerError: OpenAIException - Response API in-stream error
#   harness:  conformance run env:litellm-responses --provider openai-responses --scenario errors.stream_error_in_second_call --delivery stream:per-event --rule responses.stream.terminal-and-error
