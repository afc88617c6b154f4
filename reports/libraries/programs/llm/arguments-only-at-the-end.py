# pip install llm==0.36

# quirks.no_deltas/stream:per-event on openai-responses, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from llm import Tool, ToolResult
from llm.default_plugins import openai_models

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
    (
        200,
        {"content-type": "text/event-stream; charset=utf-8"},
        [
            (b"event: response.created\n"
             b'data: {"type":"response.created","sequence_number":0,"response":{"id":"resp_sm4FmRcLfbdTTHP'
             b'juHETEXEsk7fKhmMQggPLd9SRpPPocaZC","object":"response","created_at":1760000000,"status":"in'
             b'_progress","background":false,"completed_at":null,"error":null,"frequency_penalty":0.0,"inc'
             b'omplete_details":null,"instructions":null,"max_output_tokens":null,"max_tool_calls":null,"m'
             b'odel":"test-model","output":[],"parallel_tool_calls":true,"presence_penalty":0.0,"previous_'
             b'response_id":null,"prompt_cache_key":null,"prompt_cache_retention":null,"reasoning":{"effor'
             b't":null,"summary":null},"safety_identifier":null,"service_tier":"default","store":true,"tem'
             b'perature":1.0,"text":{"format":{"type":"text"},"verbosity":"medium"},"tool_choice":"auto","'
             b'tools":[],"top_logprobs":0,"top_p":1.0,"truncation":"disabled","usage":null,"user":null,"me'
             b'tadata":{}}}\n\n'),
            (b"event: response.in_progress\n"
             b'data: {"type":"response.in_progress","sequence_number":1,"response":{"id":"resp_sm4FmRcLfbd'
             b'TTHPjuHETEXEsk7fKhmMQggPLd9SRpPPocaZC","object":"response","created_at":1760000000,"status"'
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
             b'":"msg_dHJxbEGhVXRAnzNLeg4yvFBXnXTCChKiSuJLGETtjMULCLEC","type":"message","status":"in_prog'
             b'ress","content":[],"role":"assistant"}}\n\n'),
            (b"event: response.content_part.added\n"
             b'data: {"type":"response.content_part.added","sequence_number":3,"item_id":"msg_dHJxbEGhVXRA'
             b'nzNLeg4yvFBXnXTCChKiSuJLGETtjMULCLEC","output_index":0,"content_index":0,"part":{"type":"ou'
             b'tput_text","annotations":[],"logprobs":[],"text":""}}\n\n'),
            (b"event: response.output_text.delta\n"
             b'data: {"type":"response.output_text.delta","sequence_number":4,"item_id":"msg_dHJxbEGhVXRAn'
             b'zNLeg4yvFBXnXTCChKiSuJLGETtjMULCLEC","output_index":0,"content_index":0,"delta":"It s","log'
             b'probs":[]}\n\n'),
            (b"event: response.output_text.delta\n"
             b'data: {"type":"response.output_text.delta","sequence_number":5,"item_id":"msg_dHJxbEGhVXRAn'
             b'zNLeg4yvFBXnXTCChKiSuJLGETtjMULCLEC","output_index":0,"content_index":0,"delta":"ays ","log'
             b'probs":[]}\n\n'),
            (b"event: response.output_text.delta\n"
             b'data: {"type":"response.output_text.delta","sequence_number":6,"item_id":"msg_dHJxbEGhVXRAn'
             b'zNLeg4yvFBXnXTCChKiSuJLGETtjMULCLEC","output_index":0,"content_index":0,"delta":"hell","log'
             b'probs":[]}\n\n'),
            (b"event: response.output_text.delta\n"
             b'data: {"type":"response.output_text.delta","sequence_number":7,"item_id":"msg_dHJxbEGhVXRAn'
             b'zNLeg4yvFBXnXTCChKiSuJLGETtjMULCLEC","output_index":0,"content_index":0,"delta":"o.","logpr'
             b'obs":[]}\n\n'),
            (b"event: response.output_text.done\n"
             b'data: {"type":"response.output_text.done","sequence_number":8,"item_id":"msg_dHJxbEGhVXRAnz'
             b'NLeg4yvFBXnXTCChKiSuJLGETtjMULCLEC","output_index":0,"content_index":0,"text":"It says hell'
             b'o.","logprobs":[]}\n\n'),
            (b"event: response.content_part.done\n"
             b'data: {"type":"response.content_part.done","sequence_number":9,"item_id":"msg_dHJxbEGhVXRAn'
             b'zNLeg4yvFBXnXTCChKiSuJLGETtjMULCLEC","output_index":0,"content_index":0,"part":{"type":"out'
             b'put_text","annotations":[],"logprobs":[],"text":"It says hello."}}\n\n'),
            (b"event: response.output_item.done\n"
             b'data: {"type":"response.output_item.done","sequence_number":10,"output_index":0,"item":{"id'
             b'":"msg_dHJxbEGhVXRAnzNLeg4yvFBXnXTCChKiSuJLGETtjMULCLEC","type":"message","status":"complet'
             b'ed","content":[{"type":"output_text","annotations":[],"logprobs":[],"text":"It says hello."'
             b'}],"role":"assistant"}}\n\n'),
            (b"event: response.completed\n"
             b'data: {"type":"response.completed","sequence_number":11,"response":{"id":"resp_sm4FmRcLfbdT'
             b'THPjuHETEXEsk7fKhmMQggPLd9SRpPPocaZC","object":"response","created_at":1760000000,"status":'
             b'"completed","background":false,"completed_at":1760000002,"error":null,"frequency_penalty":0'
             b'.0,"incomplete_details":null,"instructions":null,"max_output_tokens":null,"max_tool_calls":'
             b'null,"model":"test-model","output":[{"id":"msg_dHJxbEGhVXRAnzNLeg4yvFBXnXTCChKiSuJLGETtjMUL'
             b'CLEC","type":"message","status":"completed","content":[{"type":"output_text","annotations":'
             b'[],"logprobs":[],"text":"It says hello."}],"role":"assistant"}],"parallel_tool_calls":true,'
             b'"presence_penalty":0.0,"previous_response_id":null,"prompt_cache_key":null,"prompt_cache_re'
             b'tention":null,"reasoning":{"effort":null,"summary":null},"safety_identifier":null,"service_'
             b'tier":"default","store":true,"temperature":1.0,"text":{"format":{"type":"text"},"verbosity"'
             b':"medium"},"tool_choice":"auto","tools":[],"top_logprobs":0,"top_p":1.0,"truncation":"disab'
             b'led","usage":{"input_tokens":11,"input_tokens_details":{"cache_write_tokens":0,"cached_toke'
             b'ns":0},"output_tokens":7,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":18},'
             b'"user":null,"metadata":{}}}\n\n'),
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

model = openai_models.Responses(
    model_id="test-model",
    model_name="test-model",
    key="test-key",
    api_base=BASE_URL + "/v1",
    supports_tools=True,
)
talk = model.conversation()

prompt = "Read a.txt."
tool_results = []
tools = [
    Tool(
        name="read_file",
        description="Read a file",
        input_schema={
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


def ask():
    answer = talk.prompt(
        prompt=prompt,
        tool_results=tool_results,
        system=None,
        tools=tools,
        max_tokens=1024,
        stream=True,
    )
    answer.text()
    return answer


answer = ask()
print(f"\n<-- {(answer.text(), answer.tool_calls(), answer.json())!r}")
calls = answer.tool_calls()
prompt = None
tool_results = [ToolResult(name="read_file", output="hello", tool_call_id=calls[0].tool_call_id)]
answer = ask()
print(f"\n<-- {(answer.text(), answer.tool_calls(), answer.json())!r}")

# common.declare.scenario-parameter-names: A policy of this suite, which no provider enforces: the scenarios'
#   tools keep their declared parameter names, so that one script can be played on every provider:
#   read_file.absolute_path; write_file.file_path+content;
#   replace.file_path+old_string+new_string(+expected_replacements);
#   search_file_content.pattern(+path,include,max_matches); read_many_files.paths;
#   run_shell_command.command(+directory,description).
#   at:       /input/1/arguments in request 2
#   expected: ["absolute_path", "limit"]
#   found:    []
#   harness:  conformance run env:llm --provider openai-responses --scenario quirks.no_deltas --delivery stream:per-event --rule common.declare.scenario-parameter-names
