# pip install litellm[mcp]==1.106.2

# arguments.empty_deltas/stream:per-event on openai-responses, without the harness: this program is the provider, too.

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
             b'data: {"type":"response.created","sequence_number":0,"response":{"id":"resp_iRERPae7d2Fwp9N'
             b'r9WdSd6aFmNixnxVJskmgPTB4MGxK8ab4","object":"response","created_at":1760000000,"status":"in'
             b'_progress","background":false,"completed_at":null,"error":null,"frequency_penalty":0.0,"inc'
             b'omplete_details":null,"instructions":null,"max_output_tokens":null,"max_tool_calls":null,"m'
             b'odel":"test-model","output":[],"parallel_tool_calls":true,"presence_penalty":0.0,"previous_'
             b'response_id":null,"prompt_cache_key":null,"prompt_cache_retention":null,"reasoning":{"effor'
             b't":null,"summary":null},"safety_identifier":null,"service_tier":"default","store":true,"tem'
             b'perature":1.0,"text":{"format":{"type":"text"},"verbosity":"medium"},"tool_choice":"auto","'
             b'tools":[],"top_logprobs":0,"top_p":1.0,"truncation":"disabled","usage":null,"user":null,"me'
             b'tadata":{}}}\n\n'),
            (b"event: response.in_progress\n"
             b'data: {"type":"response.in_progress","sequence_number":1,"response":{"id":"resp_iRERPae7d2F'
             b'wp9Nr9WdSd6aFmNixnxVJskmgPTB4MGxK8ab4","object":"response","created_at":1760000000,"status"'
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
             b'":"fc_qTbbcyPjNrUsojmH3EyWXyDEss582peoARLeqWsTUsY3UT9A","type":"function_call","status":"in'
             b'_progress","arguments":"","call_id":"call_VkM5MD55XDjYXDaDKYn5Mxa2","name":"read_file"}}\n'
             b"\n"),
            (b"event: response.function_call_arguments.delta\n"
             b'data: {"type":"response.function_call_arguments.delta","sequence_number":3,"item_id":"fc_qT'
             b'bbcyPjNrUsojmH3EyWXyDEss582peoARLeqWsTUsY3UT9A","output_index":0,"delta":""}\n\n'),
            (b"event: response.function_call_arguments.delta\n"
             b'data: {"type":"response.function_call_arguments.delta","sequence_number":4,"item_id":"fc_qT'
             b'bbcyPjNrUsojmH3EyWXyDEss582peoARLeqWsTUsY3UT9A","output_index":0,"delta":"{\\"absolute_p"}'
             b"\n\n"),
            (b"event: response.function_call_arguments.delta\n"
             b'data: {"type":"response.function_call_arguments.delta","sequence_number":5,"item_id":"fc_qT'
             b'bbcyPjNrUsojmH3EyWXyDEss582peoARLeqWsTUsY3UT9A","output_index":0,"delta":""}\n\n'),
            (b"event: response.function_call_arguments.delta\n"
             b'data: {"type":"response.function_call_arguments.delta","sequence_number":6,"item_id":"fc_qT'
             b'bbcyPjNrUsojmH3EyWXyDEss582peoARLeqWsTUsY3UT9A","output_index":0,"delta":"ath\\":\\"/srv/a"'
             b"}\n\n"),
            (b"event: response.function_call_arguments.delta\n"
             b'data: {"type":"response.function_call_arguments.delta","sequence_number":7,"item_id":"fc_qT'
             b'bbcyPjNrUsojmH3EyWXyDEss582peoARLeqWsTUsY3UT9A","output_index":0,"delta":""}\n\n'),
            (b"event: response.function_call_arguments.delta\n"
             b'data: {"type":"response.function_call_arguments.delta","sequence_number":8,"item_id":"fc_qT'
             b'bbcyPjNrUsojmH3EyWXyDEss582peoARLeqWsTUsY3UT9A","output_index":0,"delta":"pp/LICENSE\\","}'
             b"\n\n"),
            (b"event: response.function_call_arguments.delta\n"
             b'data: {"type":"response.function_call_arguments.delta","sequence_number":9,"item_id":"fc_qT'
             b'bbcyPjNrUsojmH3EyWXyDEss582peoARLeqWsTUsY3UT9A","output_index":0,"delta":""}\n\n'),
            (b"event: response.function_call_arguments.delta\n"
             b'data: {"type":"response.function_call_arguments.delta","sequence_number":10,"item_id":"fc_q'
             b'TbbcyPjNrUsojmH3EyWXyDEss582peoARLeqWsTUsY3UT9A","output_index":0,"delta":"\\"limit\\":10}"'
             b"}\n\n"),
            (b"event: response.function_call_arguments.done\n"
             b'data: {"type":"response.function_call_arguments.done","sequence_number":11,"item_id":"fc_qT'
             b'bbcyPjNrUsojmH3EyWXyDEss582peoARLeqWsTUsY3UT9A","output_index":0,"arguments":"{\\"absolute_'
             b'path\\":\\"/srv/app/LICENSE\\",\\"limit\\":10}"}\n\n'),
            (b"event: response.output_item.done\n"
             b'data: {"type":"response.output_item.done","sequence_number":12,"output_index":0,"item":{"id'
             b'":"fc_qTbbcyPjNrUsojmH3EyWXyDEss582peoARLeqWsTUsY3UT9A","type":"function_call","status":"co'
             b'mpleted","arguments":"{\\"absolute_path\\":\\"/srv/app/LICENSE\\",\\"limit\\":10}","call_id'
             b'":"call_VkM5MD55XDjYXDaDKYn5Mxa2","name":"read_file"}}\n\n'),
            (b"event: response.completed\n"
             b'data: {"type":"response.completed","sequence_number":13,"response":{"id":"resp_iRERPae7d2Fw'
             b'p9Nr9WdSd6aFmNixnxVJskmgPTB4MGxK8ab4","object":"response","created_at":1760000000,"status":'
             b'"completed","background":false,"completed_at":1760000002,"error":null,"frequency_penalty":0'
             b'.0,"incomplete_details":null,"instructions":null,"max_output_tokens":null,"max_tool_calls":'
             b'null,"model":"test-model","output":[{"id":"fc_qTbbcyPjNrUsojmH3EyWXyDEss582peoARLeqWsTUsY3U'
             b'T9A","type":"function_call","status":"completed","arguments":"{\\"absolute_path\\":\\"/srv/'
             b'app/LICENSE\\",\\"limit\\":10}","call_id":"call_VkM5MD55XDjYXDaDKYn5Mxa2","name":"read_file'
             b'"}],"parallel_tool_calls":true,"presence_penalty":0.0,"previous_response_id":null,"prompt_c'
             b'ache_key":null,"prompt_cache_retention":null,"reasoning":{"effort":null,"summary":null},"sa'
             b'fety_identifier":null,"service_tier":"default","store":true,"temperature":1.0,"text":{"form'
             b'at":{"type":"text"},"verbosity":"medium"},"tool_choice":"auto","tools":[],"top_logprobs":0,'
             b'"top_p":1.0,"truncation":"disabled","usage":{"input_tokens":11,"input_tokens_details":{"cac'
             b'he_write_tokens":0,"cached_tokens":0},"output_tokens":7,"output_tokens_details":{"reasoning'
             b'_tokens":0},"total_tokens":18},"user":null,"metadata":{}}}\n\n'),
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

messages = [{"role": "user", "content": "Read the licence."}]
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
]


def ask():
    chunks = litellm.completion(
        model="openai/responses/gpt-5",
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

# common.stream.equivalent-to-non-stream: A stream is understood as the same turn (text, calls, ids, arguments,
#   stop, usage) as the equivalent blocking response, however its bytes are cut.
#   at:       /calls in what the library makes of answer 1
#   expected: ["read_file"]
#   found:    []
#   harness:  conformance run env:litellm --provider openai-responses --scenario arguments.empty_deltas --delivery stream:per-event --rule common.stream.equivalent-to-non-stream
