# pip install litellm[mcp]==1.106.2

# reasoning.no_call/blocking on openai-responses, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import litellm

ANSWERS = [
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"id":"resp_EybPPJjPKVFTSvJdkLwGRira8NAWrimArwVgNzVaWqYZywTn","object":"response","created_'
             b'at":1760000000,"status":"completed","background":false,"completed_at":1760000002,"error":nu'
             b'll,"frequency_penalty":0.0,"incomplete_details":null,"instructions":null,"max_output_tokens'
             b'":null,"max_tool_calls":null,"model":"test-model","output":[{"id":"rs_LfaDpfVmP6ypSpsDRfApB'
             b'DLLJQLRDKRVkN99YsFgPec76fhh","type":"reasoning","content":[],"encrypted_content":"+/8k2anfO'
             b"+di7hRIw671YzVA0YzEf/GFvOS2Hbgo1oh6106KpG1Qkpno3lBukgc9o/mqmRSC2bQvVLNv43LVWxaHVUzrDGe7Cuva"
             b'q6kVfAZ9RgBdBKn1S1OXstfMy9CIEM0=","summary":[{"type":"summary_text","text":"2027 is not div'
             b'isible by 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41 or 43."}]},{"id":"msg_dC42kxsBgN6r'
             b'F84oJaWt8ToDrzjV4qdmJTLHo8pqzS8izJqa","type":"message","status":"completed","content":[{"ty'
             b'pe":"output_text","annotations":[],"logprobs":[],"text":"Yes, 2027 is prime."}],"role":"ass'
             b'istant"}],"parallel_tool_calls":true,"presence_penalty":0.0,"previous_response_id":null,"pr'
             b'ompt_cache_key":null,"prompt_cache_retention":null,"reasoning":{"effort":"medium","summary"'
             b':"auto"},"safety_identifier":null,"service_tier":"default","store":false,"temperature":1.0,'
             b'"text":{"format":{"type":"text"},"verbosity":"medium"},"tool_choice":"auto","tools":[],"top'
             b'_logprobs":0,"top_p":1.0,"truncation":"disabled","usage":{"input_tokens":11,"input_tokens_d'
             b'etails":{"cache_write_tokens":0,"cached_tokens":0},"output_tokens":7,"output_tokens_details'
             b'":{"reasoning_tokens":0},"total_tokens":18},"user":null,"metadata":{}}'),
        ],
    ),
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"id":"resp_nJshXwscuW3YLDMBVPi9nUjwRg6KYi7NXPjbRV6EtTPFVTCw","object":"response","created_'
             b'at":1760000000,"status":"completed","background":false,"completed_at":1760000002,"error":nu'
             b'll,"frequency_penalty":0.0,"incomplete_details":null,"instructions":null,"max_output_tokens'
             b'":null,"max_tool_calls":null,"model":"test-model","output":[{"id":"rs_hf9QAb63k6Q5cTuV5Jnsy'
             b'cdZpmrVYtrFSdrtjCVz44xnUPZt","type":"reasoning","content":[],"encrypted_content":"+/8dFrP3G'
             b"+0E0997E2335nvkCeWAfNokakZnII6dhQKNcTaisCTZBcigexfaPm5hSFiLjrdBr+buVWSRiKfBDs7d4WZSqjqczHAF"
             b'DuTx2FejPySgdTxF304dqJqNn7A6m9U=","summary":[{"type":"summary_text","text":"A short command'
             b' counts them."}]},{"id":"fc_pVLzrQvRQGoamMmrwxPR8nVGeHLQsrwg5DcLjGmWJZdgAR8G","type":"funct'
             b'ion_call","status":"completed","arguments":"{\\"command\\":\\"seq 2 2026 | factor | awk \'N'
             b'F==2\' | wc -l\\"}","call_id":"call_fYJVdKEr5KV5VCKAKBQLyn2P","name":"run_shell_command"}],'
             b'"parallel_tool_calls":true,"presence_penalty":0.0,"previous_response_id":null,"prompt_cache'
             b'_key":null,"prompt_cache_retention":null,"reasoning":{"effort":"medium","summary":"auto"},"'
             b'safety_identifier":null,"service_tier":"default","store":false,"temperature":1.0,"text":{"f'
             b'ormat":{"type":"text"},"verbosity":"medium"},"tool_choice":"auto","tools":[],"top_logprobs"'
             b':0,"top_p":1.0,"truncation":"disabled","usage":{"input_tokens":11,"input_tokens_details":{"'
             b'cache_write_tokens":0,"cached_tokens":0},"output_tokens":7,"output_tokens_details":{"reason'
             b'ing_tokens":0},"total_tokens":18},"user":null,"metadata":{}}'),
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

messages = [{"role": "user", "content": "Is 2027 a prime number?"}]
tools = [
    {
        "type": "function",
        "function": {
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
        },
    },
]


def ask():
    return litellm.completion(
        model="openai/responses/gpt-5",
        messages=messages,
        max_tokens=1024,
        tools=tools,
        api_base=BASE_URL + "/v1",
        api_key="test-key",
        max_retries=0,
        reasoning_effort="medium",
    )


answer = ask()
print(f"\n<-- {answer!r}")
messages.append(answer.choices[0].message)
messages += [{"role": "user", "content": "Count the primes below it."}]
answer = ask()
print(f"\n<-- {answer!r}")

# responses.history.reasoning-item-followed: A replayed reasoning item is followed by the item that the model
#   made after it; a message keeps its id for that, unless nothing is stored and the reasoning is encrypted.
#   at:       /input/1 in request 2
#   expected: the item that followed this one, with its id
#   found:    {"type": "message", "role": "assistant"}
#   harness:  conformance run env:litellm --provider openai-responses --scenario reasoning.no_call --delivery blocking --rule responses.history.reasoning-item-followed
