# pip install openai==3.54.0

# quirks.repeated_id/stream:per-event on openai-responses, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import openai

ANSWERS = [
    (
        200,
        {"content-type": "text/event-stream; charset=utf-8"},
        [
            (b"event: response.created\n"
             b'data: {"type":"response.created","sequence_number":0,"response":{"id":"resp_g58araQLmCntSwY'
             b'WRcZ3dbpcNe7amJZumGyYRNR8XcCuERoW","object":"response","created_at":1760000000,"status":"in'
             b'_progress","background":false,"completed_at":null,"error":null,"frequency_penalty":0.0,"inc'
             b'omplete_details":null,"instructions":null,"max_output_tokens":null,"max_tool_calls":null,"m'
             b'odel":"test-model","output":[],"parallel_tool_calls":true,"presence_penalty":0.0,"previous_'
             b'response_id":null,"prompt_cache_key":null,"prompt_cache_retention":null,"reasoning":{"effor'
             b't":null,"summary":null},"safety_identifier":null,"service_tier":"default","store":true,"tem'
             b'perature":1.0,"text":{"format":{"type":"text"},"verbosity":"medium"},"tool_choice":"auto","'
             b'tools":[],"top_logprobs":0,"top_p":1.0,"truncation":"disabled","usage":null,"user":null,"me'
             b'tadata":{}}}\n\n'),
            (b"event: response.in_progress\n"
             b'data: {"type":"response.in_progress","sequence_number":1,"response":{"id":"resp_g58araQLmCn'
             b'tSwYWRcZ3dbpcNe7amJZumGyYRNR8XcCuERoW","object":"response","created_at":1760000000,"status"'
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
             b'":"fc_pzQSpVjSFNsQyRZFZwyyRGvTUTp7oUNDPVkGE3KJmD5KzCXS","type":"function_call","status":"in'
             b'_progress","arguments":"","call_id":"call_TTfpTsDEo6FaHURW2SB7SNqM","name":"read_file"}}\n'
             b"\n"),
            (b"event: response.function_call_arguments.delta\n"
             b'data: {"type":"response.function_call_arguments.delta","sequence_number":3,"item_id":"fc_pz'
             b'QSpVjSFNsQyRZFZwyyRGvTUTp7oUNDPVkGE3KJmD5KzCXS","output_index":0,"delta":"{\\"absolu"}\n\n'),
            (b"event: response.function_call_arguments.delta\n"
             b'data: {"type":"response.function_call_arguments.delta","sequence_number":4,"item_id":"fc_pz'
             b'QSpVjSFNsQyRZFZwyyRGvTUTp7oUNDPVkGE3KJmD5KzCXS","output_index":0,"delta":"te_path\\""}\n\n'),
            (b"event: response.function_call_arguments.delta\n"
             b'data: {"type":"response.function_call_arguments.delta","sequence_number":5,"item_id":"fc_pz'
             b'QSpVjSFNsQyRZFZwyyRGvTUTp7oUNDPVkGE3KJmD5KzCXS","output_index":0,"delta":":\\"/srv/a"}\n\n'),
            (b"event: response.function_call_arguments.delta\n"
             b'data: {"type":"response.function_call_arguments.delta","sequence_number":6,"item_id":"fc_pz'
             b'QSpVjSFNsQyRZFZwyyRGvTUTp7oUNDPVkGE3KJmD5KzCXS","output_index":0,"delta":".txt\\"}"}\n\n'),
            (b"event: response.function_call_arguments.done\n"
             b'data: {"type":"response.function_call_arguments.done","sequence_number":7,"item_id":"fc_pzQ'
             b'SpVjSFNsQyRZFZwyyRGvTUTp7oUNDPVkGE3KJmD5KzCXS","output_index":0,"arguments":"{\\"absolute_p'
             b'ath\\":\\"/srv/a.txt\\"}"}\n\n'),
            (b"event: response.output_item.done\n"
             b'data: {"type":"response.output_item.done","sequence_number":8,"output_index":0,"item":{"id"'
             b':"fc_pzQSpVjSFNsQyRZFZwyyRGvTUTp7oUNDPVkGE3KJmD5KzCXS","type":"function_call","status":"com'
             b'pleted","arguments":"{\\"absolute_path\\":\\"/srv/a.txt\\"}","call_id":"call_TTfpTsDEo6FaHU'
             b'RW2SB7SNqM","name":"read_file"}}\n\n'),
            (b"event: response.output_item.added\n"
             b'data: {"type":"response.output_item.added","sequence_number":9,"output_index":1,"item":{"id'
             b'":"fc_gEAcAr8LFm95wvEGV63eMjWeBiEgoAxM8UMUrWxR4YaN5k8D","type":"function_call","status":"in'
             b'_progress","arguments":"","call_id":"call_TTfpTsDEo6FaHURW2SB7SNqM","name":"read_file"}}\n'
             b"\n"),
            (b"event: response.function_call_arguments.delta\n"
             b'data: {"type":"response.function_call_arguments.delta","sequence_number":10,"item_id":"fc_g'
             b'EAcAr8LFm95wvEGV63eMjWeBiEgoAxM8UMUrWxR4YaN5k8D","output_index":1,"delta":"{\\"absolu"}\n\n'),
            (b"event: response.function_call_arguments.delta\n"
             b'data: {"type":"response.function_call_arguments.delta","sequence_number":11,"item_id":"fc_g'
             b'EAcAr8LFm95wvEGV63eMjWeBiEgoAxM8UMUrWxR4YaN5k8D","output_index":1,"delta":"te_path\\""}\n\n'),
            (b"event: response.function_call_arguments.delta\n"
             b'data: {"type":"response.function_call_arguments.delta","sequence_number":12,"item_id":"fc_g'
             b'EAcAr8LFm95wvEGV63eMjWeBiEgoAxM8UMUrWxR4YaN5k8D","output_index":1,"delta":":\\"/srv/b"}\n\n'),
            (b"event: response.function_call_arguments.delta\n"
             b'data: {"type":"response.function_call_arguments.delta","sequence_number":13,"item_id":"fc_g'
             b'EAcAr8LFm95wvEGV63eMjWeBiEgoAxM8UMUrWxR4YaN5k8D","output_index":1,"delta":".txt\\"}"}\n\n'),
            (b"event: response.function_call_arguments.done\n"
             b'data: {"type":"response.function_call_arguments.done","sequence_number":14,"item_id":"fc_gE'
             b'AcAr8LFm95wvEGV63eMjWeBiEgoAxM8UMUrWxR4YaN5k8D","output_index":1,"arguments":"{\\"absolute_'
             b'path\\":\\"/srv/b.txt\\"}"}\n\n'),
            (b"event: response.output_item.done\n"
             b'data: {"type":"response.output_item.done","sequence_number":15,"output_index":1,"item":{"id'
             b'":"fc_gEAcAr8LFm95wvEGV63eMjWeBiEgoAxM8UMUrWxR4YaN5k8D","type":"function_call","status":"co'
             b'mpleted","arguments":"{\\"absolute_path\\":\\"/srv/b.txt\\"}","call_id":"call_TTfpTsDEo6FaH'
             b'URW2SB7SNqM","name":"read_file"}}\n\n'),
            (b"event: response.completed\n"
             b'data: {"type":"response.completed","sequence_number":16,"response":{"id":"resp_g58araQLmCnt'
             b'SwYWRcZ3dbpcNe7amJZumGyYRNR8XcCuERoW","object":"response","created_at":1760000000,"status":'
             b'"completed","background":false,"completed_at":1760000002,"error":null,"frequency_penalty":0'
             b'.0,"incomplete_details":null,"instructions":null,"max_output_tokens":null,"max_tool_calls":'
             b'null,"model":"test-model","output":[{"id":"fc_pzQSpVjSFNsQyRZFZwyyRGvTUTp7oUNDPVkGE3KJmD5Kz'
             b'CXS","type":"function_call","status":"completed","arguments":"{\\"absolute_path\\":\\"/srv/'
             b'a.txt\\"}","call_id":"call_TTfpTsDEo6FaHURW2SB7SNqM","name":"read_file"},{"id":"fc_gEAcAr8L'
             b'Fm95wvEGV63eMjWeBiEgoAxM8UMUrWxR4YaN5k8D","type":"function_call","status":"completed","argu'
             b'ments":"{\\"absolute_path\\":\\"/srv/b.txt\\"}","call_id":"call_TTfpTsDEo6FaHURW2SB7SNqM","'
             b'name":"read_file"}],"parallel_tool_calls":true,"presence_penalty":0.0,"previous_response_id'
             b'":null,"prompt_cache_key":null,"prompt_cache_retention":null,"reasoning":{"effort":null,"su'
             b'mmary":null},"safety_identifier":null,"service_tier":"default","store":true,"temperature":1'
             b'.0,"text":{"format":{"type":"text"},"verbosity":"medium"},"tool_choice":"auto","tools":[],"'
             b'top_logprobs":0,"top_p":1.0,"truncation":"disabled","usage":{"input_tokens":11,"input_token'
             b's_details":{"cache_write_tokens":0,"cached_tokens":0},"output_tokens":7,"output_tokens_deta'
             b'ils":{"reasoning_tokens":0},"total_tokens":18},"user":null,"metadata":{}}}\n\n'),
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

client = openai.OpenAI(api_key="test-key", base_url=BASE_URL + "/v1", max_retries=0)

items = [{"role": "user", "content": "Compare a.txt with b.txt."}]
tools = [
    {
        "type": "function",
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
]


def ask():
    with client.responses.stream(model="test-model", input=items, max_output_tokens=1024, tools=tools) as events:
        return list(events)


answer = ask()
print(f"\n<-- {answer!r}")

# common.ids.unique-in-conversation: Call ids as the application sees them are not empty and are unique in the
#   conversation: ids that sloppy gateways leave out or repeat are minted anew.
#   at:       (whole) in what the library makes of answer 1
#   expected: the turn that the provider sent
#   found:    complete raised RuntimeError: Response snapshot has conflicting output identities.
#   harness:  conformance run env:openai-responses --provider openai-responses --scenario quirks.repeated_id --delivery stream:per-event --rule common.ids.unique-in-conversation
