# pip install langchain-openai==1.7.3

# parallel_calls.interleaved/stream:per-event on openai-responses, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from langchain_core.messages import HumanMessage
from langchain_core.messages.utils import message_chunk_to_message
from langchain_openai import ChatOpenAI

ANSWERS = [
    (
        200,
        {"content-type": "text/event-stream; charset=utf-8"},
        [
            (b"event: response.created\n"
             b'data: {"type":"response.created","sequence_number":0,"response":{"id":"resp_NmUUgZsqijzJnAP'
             b'yGBu7oYG52CvedrnZYCZPYC8CNT2R5DPH","object":"response","created_at":1760000000,"status":"in'
             b'_progress","background":false,"completed_at":null,"error":null,"frequency_penalty":0.0,"inc'
             b'omplete_details":null,"instructions":null,"max_output_tokens":null,"max_tool_calls":null,"m'
             b'odel":"test-model","output":[],"parallel_tool_calls":true,"presence_penalty":0.0,"previous_'
             b'response_id":null,"prompt_cache_key":null,"prompt_cache_retention":null,"reasoning":{"effor'
             b't":null,"summary":null},"safety_identifier":null,"service_tier":"default","store":true,"tem'
             b'perature":1.0,"text":{"format":{"type":"text"},"verbosity":"medium"},"tool_choice":"auto","'
             b'tools":[],"top_logprobs":0,"top_p":1.0,"truncation":"disabled","usage":null,"user":null,"me'
             b'tadata":{}}}\n\n'),
            (b"event: response.in_progress\n"
             b'data: {"type":"response.in_progress","sequence_number":1,"response":{"id":"resp_NmUUgZsqijz'
             b'JnAPyGBu7oYG52CvedrnZYCZPYC8CNT2R5DPH","object":"response","created_at":1760000000,"status"'
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
             b'":"fc_ixKekLzbP2o2ztzT8WwHaTi5Bx65PSAQ8U9MXmPsq8MMo9hE","type":"function_call","status":"in'
             b'_progress","arguments":"","call_id":"call_9DXwvYtn6SuPYTCVZLsmpysz","name":"read_file"}}\n'
             b"\n"),
            (b"event: response.output_item.added\n"
             b'data: {"type":"response.output_item.added","sequence_number":3,"output_index":1,"item":{"id'
             b'":"fc_TNbWPFPY2NU4rn8FCmg4qgEkNMEoWhqtjDymqsFriAqWnmZ8","type":"function_call","status":"in'
             b'_progress","arguments":"","call_id":"call_twbgSAcBPTMSFPVozPqAR6S9","name":"search_file_con'
             b'tent"}}\n\n'),
            (b"event: response.function_call_arguments.delta\n"
             b'data: {"type":"response.function_call_arguments.delta","sequence_number":4,"item_id":"fc_ix'
             b'KekLzbP2o2ztzT8WwHaTi5Bx65PSAQ8U9MXmPsq8MMo9hE","output_index":0,"delta":"{\\"absolute_p"}'
             b"\n\n"),
            (b"event: response.function_call_arguments.delta\n"
             b'data: {"type":"response.function_call_arguments.delta","sequence_number":5,"item_id":"fc_TN'
             b'bWPFPY2NU4rn8FCmg4qgEkNMEoWhqtjDymqsFriAqWnmZ8","output_index":1,"delta":"{\\"pattern\\":\\'
             b'""}\n\n'),
            (b"event: response.function_call_arguments.delta\n"
             b'data: {"type":"response.function_call_arguments.delta","sequence_number":6,"item_id":"fc_ix'
             b'KekLzbP2o2ztzT8WwHaTi5Bx65PSAQ8U9MXmPsq8MMo9hE","output_index":0,"delta":"ath\\":\\"/srv/a"'
             b"}\n\n"),
            (b"event: response.function_call_arguments.delta\n"
             b'data: {"type":"response.function_call_arguments.delta","sequence_number":7,"item_id":"fc_TN'
             b'bWPFPY2NU4rn8FCmg4qgEkNMEoWhqtjDymqsFriAqWnmZ8","output_index":1,"delta":"max_?retries"}\n'
             b"\n"),
            (b"event: response.function_call_arguments.delta\n"
             b'data: {"type":"response.function_call_arguments.delta","sequence_number":8,"item_id":"fc_ix'
             b'KekLzbP2o2ztzT8WwHaTi5Bx65PSAQ8U9MXmPsq8MMo9hE","output_index":0,"delta":"pp/config/re"}\n'
             b"\n"),
            (b"event: response.function_call_arguments.delta\n"
             b'data: {"type":"response.function_call_arguments.delta","sequence_number":9,"item_id":"fc_TN'
             b'bWPFPY2NU4rn8FCmg4qgEkNMEoWhqtjDymqsFriAqWnmZ8","output_index":1,"delta":"\\",\\"path\\":\\'
             b'"/s"}\n\n'),
            (b"event: response.function_call_arguments.delta\n"
             b'data: {"type":"response.function_call_arguments.delta","sequence_number":10,"item_id":"fc_i'
             b'xKekLzbP2o2ztzT8WwHaTi5Bx65PSAQ8U9MXmPsq8MMo9hE","output_index":0,"delta":"try.yaml\\"}"}\n'
             b"\n"),
            (b"event: response.function_call_arguments.delta\n"
             b'data: {"type":"response.function_call_arguments.delta","sequence_number":11,"item_id":"fc_T'
             b'NbWPFPY2NU4rn8FCmg4qgEkNMEoWhqtjDymqsFriAqWnmZ8","output_index":1,"delta":"rv/app/src\\"}"}'
             b"\n\n"),
            (b"event: response.function_call_arguments.done\n"
             b'data: {"type":"response.function_call_arguments.done","sequence_number":12,"item_id":"fc_ix'
             b'KekLzbP2o2ztzT8WwHaTi5Bx65PSAQ8U9MXmPsq8MMo9hE","output_index":0,"arguments":"{\\"absolute_'
             b'path\\":\\"/srv/app/config/retry.yaml\\"}"}\n\n'),
            (b"event: response.function_call_arguments.done\n"
             b'data: {"type":"response.function_call_arguments.done","sequence_number":13,"item_id":"fc_TN'
             b'bWPFPY2NU4rn8FCmg4qgEkNMEoWhqtjDymqsFriAqWnmZ8","output_index":1,"arguments":"{\\"pattern\\'
             b'":\\"max_?retries\\",\\"path\\":\\"/srv/app/src\\"}"}\n\n'),
            (b"event: response.output_item.done\n"
             b'data: {"type":"response.output_item.done","sequence_number":14,"output_index":0,"item":{"id'
             b'":"fc_ixKekLzbP2o2ztzT8WwHaTi5Bx65PSAQ8U9MXmPsq8MMo9hE","type":"function_call","status":"co'
             b'mpleted","arguments":"{\\"absolute_path\\":\\"/srv/app/config/retry.yaml\\"}","call_id":"ca'
             b'll_9DXwvYtn6SuPYTCVZLsmpysz","name":"read_file"}}\n\n'),
            (b"event: response.output_item.done\n"
             b'data: {"type":"response.output_item.done","sequence_number":15,"output_index":1,"item":{"id'
             b'":"fc_TNbWPFPY2NU4rn8FCmg4qgEkNMEoWhqtjDymqsFriAqWnmZ8","type":"function_call","status":"co'
             b'mpleted","arguments":"{\\"pattern\\":\\"max_?retries\\",\\"path\\":\\"/srv/app/src\\"}","ca'
             b'll_id":"call_twbgSAcBPTMSFPVozPqAR6S9","name":"search_file_content"}}\n\n'),
            (b"event: response.completed\n"
             b'data: {"type":"response.completed","sequence_number":16,"response":{"id":"resp_NmUUgZsqijzJ'
             b'nAPyGBu7oYG52CvedrnZYCZPYC8CNT2R5DPH","object":"response","created_at":1760000000,"status":'
             b'"completed","background":false,"completed_at":1760000002,"error":null,"frequency_penalty":0'
             b'.0,"incomplete_details":null,"instructions":null,"max_output_tokens":null,"max_tool_calls":'
             b'null,"model":"test-model","output":[{"id":"fc_ixKekLzbP2o2ztzT8WwHaTi5Bx65PSAQ8U9MXmPsq8MMo'
             b'9hE","type":"function_call","status":"completed","arguments":"{\\"absolute_path\\":\\"/srv/'
             b'app/config/retry.yaml\\"}","call_id":"call_9DXwvYtn6SuPYTCVZLsmpysz","name":"read_file"},{"'
             b'id":"fc_TNbWPFPY2NU4rn8FCmg4qgEkNMEoWhqtjDymqsFriAqWnmZ8","type":"function_call","status":"'
             b'completed","arguments":"{\\"pattern\\":\\"max_?retries\\",\\"path\\":\\"/srv/app/src\\"}","'
             b'call_id":"call_twbgSAcBPTMSFPVozPqAR6S9","name":"search_file_content"}],"parallel_tool_call'
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

model = ChatOpenAI(
    model="test-model",
    api_key="test-key",
    base_url=BASE_URL + "/v1",
    max_tokens=1024,
    max_retries=0,
    stream_usage=True,
    use_responses_api=True,
)

messages = [HumanMessage("Look for the retry setting.")]
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
            "strict": False,
        },
    },
    {
        "type": "function",
        "function": {
            "name": "search_file_content",
            "description": "Search file contents with a regular expression",
            "parameters": {
                "type": "object",
                "properties": {
                    "pattern": {"type": "string", "description": "A regular expression"},
                    "path": {"type": "string", "description": "Where to search"},
                    "include": {"type": "string", "description": "A glob pattern of files to search"},
                    "max_matches": {"type": "integer", "description": "When to stop"},
                },
                "required": ["pattern"],
            },
            "strict": False,
        },
    },
]


def ask():
    whole = None
    for chunk in model.bind_tools(tools=tools).stream(messages):
        whole = chunk if whole is None else whole + chunk
    return message_chunk_to_message(whole)


answer = ask()
print(f"\n<-- {answer!r}")

# common.stream.equivalent-to-non-stream: A stream is understood as the same turn (text, calls, ids, arguments,
#   stop, usage) as the equivalent blocking response, however its bytes are cut.
#   at:       /calls in what the library makes of answer 1
#   expected: ["read_file", "search_file_content"]
#   found:    ["read_file", "search_file_content", "", "", "", "", "", "", "", ""]
#   harness:  conformance run env:langchain-openai --provider openai-responses --scenario parallel_calls.interleaved --delivery stream:per-event --rule common.stream.equivalent-to-non-stream
