# pip install litellm[mcp]==1.106.2

# reasoning.answer_then_question/stream:per-event on openai-responses, without the harness: this program is the provider, too.

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
             b'data: {"type":"response.created","sequence_number":0,"response":{"id":"resp_wnfYTQLYFQqhcVC'
             b'HtPwtupg3ELrVJAdVfnWnRULFcRm5mu87","object":"response","created_at":1760000000,"status":"in'
             b'_progress","background":false,"completed_at":null,"error":null,"frequency_penalty":0.0,"inc'
             b'omplete_details":null,"instructions":null,"max_output_tokens":null,"max_tool_calls":null,"m'
             b'odel":"test-model","output":[],"parallel_tool_calls":true,"presence_penalty":0.0,"previous_'
             b'response_id":null,"prompt_cache_key":null,"prompt_cache_retention":null,"reasoning":{"effor'
             b't":"medium","summary":"auto"},"safety_identifier":null,"service_tier":"default","store":fal'
             b'se,"temperature":1.0,"text":{"format":{"type":"text"},"verbosity":"medium"},"tool_choice":"'
             b'auto","tools":[],"top_logprobs":0,"top_p":1.0,"truncation":"disabled","usage":null,"user":n'
             b'ull,"metadata":{}}}\n\n'),
            (b"event: response.in_progress\n"
             b'data: {"type":"response.in_progress","sequence_number":1,"response":{"id":"resp_wnfYTQLYFQq'
             b'hcVCHtPwtupg3ELrVJAdVfnWnRULFcRm5mu87","object":"response","created_at":1760000000,"status"'
             b':"in_progress","background":false,"completed_at":null,"error":null,"frequency_penalty":0.0,'
             b'"incomplete_details":null,"instructions":null,"max_output_tokens":null,"max_tool_calls":nul'
             b'l,"model":"test-model","output":[],"parallel_tool_calls":true,"presence_penalty":0.0,"previ'
             b'ous_response_id":null,"prompt_cache_key":null,"prompt_cache_retention":null,"reasoning":{"e'
             b'ffort":"medium","summary":"auto"},"safety_identifier":null,"service_tier":"default","store"'
             b':false,"temperature":1.0,"text":{"format":{"type":"text"},"verbosity":"medium"},"tool_choic'
             b'e":"auto","tools":[],"top_logprobs":0,"top_p":1.0,"truncation":"disabled","usage":null,"use'
             b'r":null,"metadata":{}}}\n\n'),
            (b"event: response.output_item.added\n"
             b'data: {"type":"response.output_item.added","sequence_number":2,"output_index":0,"item":{"id'
             b'":"rs_UZNdTghjLyD5hY8eYuW5DBdcKSMi3FGdDSmyJMvHbavZVYW3","type":"reasoning","content":[],"en'
             b'crypted_content":"+/8AaMCJZTndPL97+M+MVHFe53Gsud6icAWmxE/IE+e7sXaIEjHAIs+DGXo1qOWM5opqKuCFz'
             b'V+oYDGHhv60hl2ZDIaVKqXPx609XDAFt1azB3kC44nw2jurIloARW2dy3k=","summary":[]}}\n\n'),
            (b"event: response.reasoning_summary_part.added\n"
             b'data: {"type":"response.reasoning_summary_part.added","sequence_number":3,"item_id":"rs_UZN'
             b'dTghjLyD5hY8eYuW5DBdcKSMi3FGdDSmyJMvHbavZVYW3","output_index":0,"summary_index":0,"part":{"'
             b'type":"summary_text","text":""}}\n\n'),
            (b"event: response.reasoning_summary_text.delta\n"
             b'data: {"type":"response.reasoning_summary_text.delta","sequence_number":4,"item_id":"rs_UZN'
             b'dTghjLyD5hY8eYuW5DBdcKSMi3FGdDSmyJMvHbavZVYW3","output_index":0,"summary_index":0,"delta":"'
             b'CODEOWN"}\n\n'),
            (b"event: response.reasoning_summary_text.delta\n"
             b'data: {"type":"response.reasoning_summary_text.delta","sequence_number":5,"item_id":"rs_UZN'
             b'dTghjLyD5hY8eYuW5DBdcKSMi3FGdDSmyJMvHbavZVYW3","output_index":0,"summary_index":0,"delta":"'
             b'ERS sho"}\n\n'),
            (b"event: response.reasoning_summary_text.delta\n"
             b'data: {"type":"response.reasoning_summary_text.delta","sequence_number":6,"item_id":"rs_UZN'
             b'dTghjLyD5hY8eYuW5DBdcKSMi3FGdDSmyJMvHbavZVYW3","output_index":0,"summary_index":0,"delta":"'
             b'uld say"}\n\n'),
            (b"event: response.reasoning_summary_text.delta\n"
             b'data: {"type":"response.reasoning_summary_text.delta","sequence_number":7,"item_id":"rs_UZN'
             b'dTghjLyD5hY8eYuW5DBdcKSMi3FGdDSmyJMvHbavZVYW3","output_index":0,"summary_index":0,"delta":"'
             b' it."}\n\n'),
            (b"event: response.reasoning_summary_text.done\n"
             b'data: {"type":"response.reasoning_summary_text.done","sequence_number":8,"item_id":"rs_UZNd'
             b'TghjLyD5hY8eYuW5DBdcKSMi3FGdDSmyJMvHbavZVYW3","output_index":0,"summary_index":0,"text":"CO'
             b'DEOWNERS should say it."}\n\n'),
            (b"event: response.reasoning_summary_part.done\n"
             b'data: {"type":"response.reasoning_summary_part.done","sequence_number":9,"item_id":"rs_UZNd'
             b'TghjLyD5hY8eYuW5DBdcKSMi3FGdDSmyJMvHbavZVYW3","output_index":0,"summary_index":0,"part":{"t'
             b'ype":"summary_text","text":"CODEOWNERS should say it."}}\n\n'),
            (b"event: response.output_item.done\n"
             b'data: {"type":"response.output_item.done","sequence_number":10,"output_index":0,"item":{"id'
             b'":"rs_UZNdTghjLyD5hY8eYuW5DBdcKSMi3FGdDSmyJMvHbavZVYW3","type":"reasoning","content":[],"en'
             b'crypted_content":"+/+SzbPDtPkWzQ/fP40Tzn2+RhsHML8N0zKY4+CaPtHejJ5FAZinsprgCdJg93ok6xN+DxZCg'
             b'UtXk0+IK6rlGGQldWq3winzphKoyp/BXL1M05ot9eCErruK1UxuMRpo9/Y=","summary":[{"type":"summary_te'
             b'xt","text":"CODEOWNERS should say it."}]}}\n\n'),
            (b"event: response.output_item.added\n"
             b'data: {"type":"response.output_item.added","sequence_number":11,"output_index":1,"item":{"i'
             b'd":"fc_S39YBSNHyf948B5opVDMRFLJRAqpwnCDFoFLLjEaMracdEch","type":"function_call","status":"i'
             b'n_progress","arguments":"","call_id":"call_ikJaKXYkR5GdVmMVPdHzWPr3","name":"read_file"}}\n'
             b"\n"),
            (b"event: response.function_call_arguments.delta\n"
             b'data: {"type":"response.function_call_arguments.delta","sequence_number":12,"item_id":"fc_S'
             b'39YBSNHyf948B5opVDMRFLJRAqpwnCDFoFLLjEaMracdEch","output_index":1,"delta":"{\\"absolute"}\n'
             b"\n"),
            (b"event: response.function_call_arguments.delta\n"
             b'data: {"type":"response.function_call_arguments.delta","sequence_number":13,"item_id":"fc_S'
             b'39YBSNHyf948B5opVDMRFLJRAqpwnCDFoFLLjEaMracdEch","output_index":1,"delta":"_path\\":\\"/s"}'
             b"\n\n"),
            (b"event: response.function_call_arguments.delta\n"
             b'data: {"type":"response.function_call_arguments.delta","sequence_number":14,"item_id":"fc_S'
             b'39YBSNHyf948B5opVDMRFLJRAqpwnCDFoFLLjEaMracdEch","output_index":1,"delta":"rv/app/COD"}\n\n'),
            (b"event: response.function_call_arguments.delta\n"
             b'data: {"type":"response.function_call_arguments.delta","sequence_number":15,"item_id":"fc_S'
             b'39YBSNHyf948B5opVDMRFLJRAqpwnCDFoFLLjEaMracdEch","output_index":1,"delta":"EOWNERS\\"}"}\n'
             b"\n"),
            (b"event: response.function_call_arguments.done\n"
             b'data: {"type":"response.function_call_arguments.done","sequence_number":16,"item_id":"fc_S3'
             b'9YBSNHyf948B5opVDMRFLJRAqpwnCDFoFLLjEaMracdEch","output_index":1,"arguments":"{\\"absolute_'
             b'path\\":\\"/srv/app/CODEOWNERS\\"}"}\n\n'),
            (b"event: response.output_item.done\n"
             b'data: {"type":"response.output_item.done","sequence_number":17,"output_index":1,"item":{"id'
             b'":"fc_S39YBSNHyf948B5opVDMRFLJRAqpwnCDFoFLLjEaMracdEch","type":"function_call","status":"co'
             b'mpleted","arguments":"{\\"absolute_path\\":\\"/srv/app/CODEOWNERS\\"}","call_id":"call_ikJa'
             b'KXYkR5GdVmMVPdHzWPr3","name":"read_file"}}\n\n'),
            (b"event: response.completed\n"
             b'data: {"type":"response.completed","sequence_number":18,"response":{"id":"resp_wnfYTQLYFQqh'
             b'cVCHtPwtupg3ELrVJAdVfnWnRULFcRm5mu87","object":"response","created_at":1760000000,"status":'
             b'"completed","background":false,"completed_at":1760000002,"error":null,"frequency_penalty":0'
             b'.0,"incomplete_details":null,"instructions":null,"max_output_tokens":null,"max_tool_calls":'
             b'null,"model":"test-model","output":[{"id":"rs_UZNdTghjLyD5hY8eYuW5DBdcKSMi3FGdDSmyJMvHbavZV'
             b'YW3","type":"reasoning","content":[],"encrypted_content":"+/+SzbPDtPkWzQ/fP40Tzn2+RhsHML8N0'
             b"zKY4+CaPtHejJ5FAZinsprgCdJg93ok6xN+DxZCgUtXk0+IK6rlGGQldWq3winzphKoyp/BXL1M05ot9eCErruK1Uxu"
             b'MRpo9/Y=","summary":[{"type":"summary_text","text":"CODEOWNERS should say it."}]},{"id":"fc'
             b'_S39YBSNHyf948B5opVDMRFLJRAqpwnCDFoFLLjEaMracdEch","type":"function_call","status":"complet'
             b'ed","arguments":"{\\"absolute_path\\":\\"/srv/app/CODEOWNERS\\"}","call_id":"call_ikJaKXYkR'
             b'5GdVmMVPdHzWPr3","name":"read_file"}],"parallel_tool_calls":true,"presence_penalty":0.0,"pr'
             b'evious_response_id":null,"prompt_cache_key":null,"prompt_cache_retention":null,"reasoning":'
             b'{"effort":"medium","summary":"auto"},"safety_identifier":null,"service_tier":"default","sto'
             b're":false,"temperature":1.0,"text":{"format":{"type":"text"},"verbosity":"medium"},"tool_ch'
             b'oice":"auto","tools":[],"top_logprobs":0,"top_p":1.0,"truncation":"disabled","usage":{"inpu'
             b't_tokens":11,"input_tokens_details":{"cache_write_tokens":0,"cached_tokens":0},"output_toke'
             b'ns":7,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":18},"user":null,"metada'
             b'ta":{}}}\n\n'),
        ],
    ),
    (
        200,
        {"content-type": "text/event-stream; charset=utf-8"},
        [
            (b"event: response.created\n"
             b'data: {"type":"response.created","sequence_number":0,"response":{"id":"resp_PjL7buCEsHztWSK'
             b'qjx5pwPBaUtxTC9dJKzkZTgSVLGMz9cL8","object":"response","created_at":1760000000,"status":"in'
             b'_progress","background":false,"completed_at":null,"error":null,"frequency_penalty":0.0,"inc'
             b'omplete_details":null,"instructions":null,"max_output_tokens":null,"max_tool_calls":null,"m'
             b'odel":"test-model","output":[],"parallel_tool_calls":true,"presence_penalty":0.0,"previous_'
             b'response_id":null,"prompt_cache_key":null,"prompt_cache_retention":null,"reasoning":{"effor'
             b't":null,"summary":null},"safety_identifier":null,"service_tier":"default","store":true,"tem'
             b'perature":1.0,"text":{"format":{"type":"text"},"verbosity":"medium"},"tool_choice":"auto","'
             b'tools":[],"top_logprobs":0,"top_p":1.0,"truncation":"disabled","usage":null,"user":null,"me'
             b'tadata":{}}}\n\n'),
            (b"event: response.in_progress\n"
             b'data: {"type":"response.in_progress","sequence_number":1,"response":{"id":"resp_PjL7buCEsHz'
             b'tWSKqjx5pwPBaUtxTC9dJKzkZTgSVLGMz9cL8","object":"response","created_at":1760000000,"status"'
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
             b'":"msg_ofjfviXREfWSH3byBVJUYU5N4UYfWM8mXVggpdiZRV6eJXWz","type":"message","status":"in_prog'
             b'ress","content":[],"role":"assistant"}}\n\n'),
            (b"event: response.content_part.added\n"
             b'data: {"type":"response.content_part.added","sequence_number":3,"item_id":"msg_ofjfviXREfWS'
             b'H3byBVJUYU5N4UYfWM8mXVggpdiZRV6eJXWz","output_index":0,"content_index":0,"part":{"type":"ou'
             b'tput_text","annotations":[],"logprobs":[],"text":""}}\n\n'),
            (b"event: response.output_text.delta\n"
             b'data: {"type":"response.output_text.delta","sequence_number":4,"item_id":"msg_ofjfviXREfWSH'
             b'3byBVJUYU5N4UYfWM8mXVggpdiZRV6eJXWz","output_index":0,"content_index":0,"delta":"Mir","logp'
             b'robs":[]}\n\n'),
            (b"event: response.output_text.delta\n"
             b'data: {"type":"response.output_text.delta","sequence_number":5,"item_id":"msg_ofjfviXREfWSH'
             b'3byBVJUYU5N4UYfWM8mXVggpdiZRV6eJXWz","output_index":0,"content_index":0,"delta":"a d","logp'
             b'robs":[]}\n\n'),
            (b"event: response.output_text.delta\n"
             b'data: {"type":"response.output_text.delta","sequence_number":6,"item_id":"msg_ofjfviXREfWSH'
             b'3byBVJUYU5N4UYfWM8mXVggpdiZRV6eJXWz","output_index":0,"content_index":0,"delta":"oes","logp'
             b'robs":[]}\n\n'),
            (b"event: response.output_text.delta\n"
             b'data: {"type":"response.output_text.delta","sequence_number":7,"item_id":"msg_ofjfviXREfWSH'
             b'3byBVJUYU5N4UYfWM8mXVggpdiZRV6eJXWz","output_index":0,"content_index":0,"delta":".","logpro'
             b'bs":[]}\n\n'),
            (b"event: response.output_text.done\n"
             b'data: {"type":"response.output_text.done","sequence_number":8,"item_id":"msg_ofjfviXREfWSH3'
             b'byBVJUYU5N4UYfWM8mXVggpdiZRV6eJXWz","output_index":0,"content_index":0,"text":"Mira does.",'
             b'"logprobs":[]}\n\n'),
            (b"event: response.content_part.done\n"
             b'data: {"type":"response.content_part.done","sequence_number":9,"item_id":"msg_ofjfviXREfWSH'
             b'3byBVJUYU5N4UYfWM8mXVggpdiZRV6eJXWz","output_index":0,"content_index":0,"part":{"type":"out'
             b'put_text","annotations":[],"logprobs":[],"text":"Mira does."}}\n\n'),
            (b"event: response.output_item.done\n"
             b'data: {"type":"response.output_item.done","sequence_number":10,"output_index":0,"item":{"id'
             b'":"msg_ofjfviXREfWSH3byBVJUYU5N4UYfWM8mXVggpdiZRV6eJXWz","type":"message","status":"complet'
             b'ed","content":[{"type":"output_text","annotations":[],"logprobs":[],"text":"Mira does."}],"'
             b'role":"assistant"}}\n\n'),
            (b"event: response.completed\n"
             b'data: {"type":"response.completed","sequence_number":11,"response":{"id":"resp_PjL7buCEsHzt'
             b'WSKqjx5pwPBaUtxTC9dJKzkZTgSVLGMz9cL8","object":"response","created_at":1760000000,"status":'
             b'"completed","background":false,"completed_at":1760000002,"error":null,"frequency_penalty":0'
             b'.0,"incomplete_details":null,"instructions":null,"max_output_tokens":null,"max_tool_calls":'
             b'null,"model":"test-model","output":[{"id":"msg_ofjfviXREfWSH3byBVJUYU5N4UYfWM8mXVggpdiZRV6e'
             b'JXWz","type":"message","status":"completed","content":[{"type":"output_text","annotations":'
             b'[],"logprobs":[],"text":"Mira does."}],"role":"assistant"}],"parallel_tool_calls":true,"pre'
             b'sence_penalty":0.0,"previous_response_id":null,"prompt_cache_key":null,"prompt_cache_retent'
             b'ion":null,"reasoning":{"effort":null,"summary":null},"safety_identifier":null,"service_tier'
             b'":"default","store":true,"temperature":1.0,"text":{"format":{"type":"text"},"verbosity":"me'
             b'dium"},"tool_choice":"auto","tools":[],"top_logprobs":0,"top_p":1.0,"truncation":"disabled"'
             b',"usage":{"input_tokens":11,"input_tokens_details":{"cache_write_tokens":0,"cached_tokens":'
             b'0},"output_tokens":7,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":18},"use'
             b'r":null,"metadata":{}}}\n\n'),
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

messages = [{"role": "user", "content": "Who maintains the parser?"}]
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
        reasoning_effort="medium",
        stream=True,
        stream_options={"include_usage": True},
    )
    return litellm.stream_chunk_builder(list(chunks))


answer = ask()
print(f"\n<-- {answer!r}")
messages.append(answer.choices[0].message)
calls = messages[-1].tool_calls or []
messages += [
    {
        "role": "tool",
        "tool_call_id": calls[0].id,
        "name": "read_file",
        "content": "/parser @mira\n/web @jon\n",
    },
]
answer = ask()
print(f"\n<-- {answer!r}")

# responses.history.reasoning-items-passed-back: With client-managed context every reasoning item of the turn
#   that led to a call is replayed unchanged, before that function_call.
#   at:       /input/1 in request 2
#   expected: the reasoning item rs_UZNdTghjLyD5hY8eYuW5DBdcKSMi3FGdDSmyJMvHbavZVYW3 before this call
#   found:    no such item
#   harness:  conformance run env:litellm --provider openai-responses --scenario reasoning.answer_then_question --delivery stream:per-event --rule responses.history.reasoning-items-passed-back
