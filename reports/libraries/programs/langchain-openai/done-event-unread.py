# pip install langchain-openai==1.7.3

# quirks.no_deltas/stream:per-event on openai-responses, without the harness: this program is the provider, too.

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
             b'data: {"type":"response.created","sequence_number":0,"response":{"id":"resp_zZorLFT3cyz49jx'
             b'eEdcXUcdxm4hVkTWYpPGF7uJxqb8FEkDj","object":"response","created_at":1760000000,"status":"in'
             b'_progress","background":false,"completed_at":null,"error":null,"frequency_penalty":0.0,"inc'
             b'omplete_details":null,"instructions":null,"max_output_tokens":null,"max_tool_calls":null,"m'
             b'odel":"test-model","output":[],"parallel_tool_calls":true,"presence_penalty":0.0,"previous_'
             b'response_id":null,"prompt_cache_key":null,"prompt_cache_retention":null,"reasoning":{"effor'
             b't":null,"summary":null},"safety_identifier":null,"service_tier":"default","store":true,"tem'
             b'perature":1.0,"text":{"format":{"type":"text"},"verbosity":"medium"},"tool_choice":"auto","'
             b'tools":[],"top_logprobs":0,"top_p":1.0,"truncation":"disabled","usage":null,"user":null,"me'
             b'tadata":{}}}\n\n'),
            (b"event: response.in_progress\n"
             b'data: {"type":"response.in_progress","sequence_number":1,"response":{"id":"resp_zZorLFT3cyz'
             b'49jxeEdcXUcdxm4hVkTWYpPGF7uJxqb8FEkDj","object":"response","created_at":1760000000,"status"'
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
             b'":"fc_NgCkSeQMNQbUt3Ab8XdhFWvsAuZH6D8nvxfuEeBqAMBdUgSG","type":"function_call","status":"in'
             b'_progress","arguments":"","call_id":"call_a4EaUrQ5TSFW9jr662YkVGgS","name":"read_file"}}\n'
             b"\n"),
            (b"event: response.function_call_arguments.done\n"
             b'data: {"type":"response.function_call_arguments.done","sequence_number":3,"item_id":"fc_NgC'
             b'kSeQMNQbUt3Ab8XdhFWvsAuZH6D8nvxfuEeBqAMBdUgSG","output_index":0,"arguments":"{\\"absolute_p'
             b'ath\\":\\"/srv/a.txt\\",\\"limit\\":10}"}\n\n'),
            (b"event: response.output_item.done\n"
             b'data: {"type":"response.output_item.done","sequence_number":4,"output_index":0,"item":{"id"'
             b':"fc_NgCkSeQMNQbUt3Ab8XdhFWvsAuZH6D8nvxfuEeBqAMBdUgSG","type":"function_call","status":"com'
             b'pleted","arguments":"{\\"absolute_path\\":\\"/srv/a.txt\\",\\"limit\\":10}","call_id":"call'
             b'_a4EaUrQ5TSFW9jr662YkVGgS","name":"read_file"}}\n\n'),
            (b"event: response.completed\n"
             b'data: {"type":"response.completed","sequence_number":5,"response":{"id":"resp_zZorLFT3cyz49'
             b'jxeEdcXUcdxm4hVkTWYpPGF7uJxqb8FEkDj","object":"response","created_at":1760000000,"status":"'
             b'completed","background":false,"completed_at":1760000002,"error":null,"frequency_penalty":0.'
             b'0,"incomplete_details":null,"instructions":null,"max_output_tokens":null,"max_tool_calls":n'
             b'ull,"model":"test-model","output":[{"id":"fc_NgCkSeQMNQbUt3Ab8XdhFWvsAuZH6D8nvxfuEeBqAMBdUg'
             b'SG","type":"function_call","status":"completed","arguments":"{\\"absolute_path\\":\\"/srv/a'
             b'.txt\\",\\"limit\\":10}","call_id":"call_a4EaUrQ5TSFW9jr662YkVGgS","name":"read_file"}],"pa'
             b'rallel_tool_calls":true,"presence_penalty":0.0,"previous_response_id":null,"prompt_cache_ke'
             b'y":null,"prompt_cache_retention":null,"reasoning":{"effort":null,"summary":null},"safety_id'
             b'entifier":null,"service_tier":"default","store":true,"temperature":1.0,"text":{"format":{"t'
             b'ype":"text"},"verbosity":"medium"},"tool_choice":"auto","tools":[],"top_logprobs":0,"top_p"'
             b':1.0,"truncation":"disabled","usage":{"input_tokens":11,"input_tokens_details":{"cache_writ'
             b'e_tokens":0,"cached_tokens":0},"output_tokens":7,"output_tokens_details":{"reasoning_tokens'
             b'":0},"total_tokens":18},"user":null,"metadata":{}}}\n\n'),
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

messages = [HumanMessage("Read a.txt.")]
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
#   at:       /calls/0/arguments in what the library makes of answer 1
#   expected: {"absolute_path": "/srv/a.txt", "limit": 10}
#   found:    {}
#   harness:  conformance run env:langchain-openai --provider openai-responses --scenario quirks.no_deltas --delivery stream:per-event --rule common.stream.equivalent-to-non-stream
