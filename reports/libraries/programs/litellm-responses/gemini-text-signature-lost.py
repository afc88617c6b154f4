# pip install litellm[mcp]==1.106.2

# reasoning.no_call/blocking on gemini, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import litellm

ANSWERS = [
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"candidates":[{"content":{"parts":[{"text":"2027 is not divisible by 2, 3, 5, 7, 11, 13, 1'
             b'7, 19, 23, 29, 31, 37, 41 or 43.","thought":true},{"text":"Yes, 2027 is prime.","thoughtSig'
             b'nature":"+/8k2anfO+di7hRIw671YzVA0YzEf/GFvOS2Hbgo1oh6106KpG1Qkpno3lBukgc9o/mqmRSC2bQvVLNv43'
             b'LVWxaHVUzrDGe7Cuvaq6kVfAZ9RgBdBKn1S1OXstfMy9CIEM0="}],"role":"model"},"finishReason":"STOP"'
             b',"index":0}],"usageMetadata":{"promptTokenCount":11,"candidatesTokenCount":7,"totalTokenCou'
             b'nt":18},"modelVersion":"test-model","responseId":"EybPPJjPKVFTSvJdkLwGRi"}'),
        ],
    ),
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"candidates":[{"content":{"parts":[{"text":"A short command counts them.","thought":true},'
             b'{"functionCall":{"name":"run_shell_command","args":{"command":"seq 2 2026 | factor | awk \''
             b'NF==2\' | wc -l"},"id":"fyjvdker"},"thoughtSignature":"+/8dFrP3G+0E0997E2335nvkCeWAfNokakZn'
             b"II6dhQKNcTaisCTZBcigexfaPm5hSFiLjrdBr+buVWSRiKfBDs7d4WZSqjqczHAFDuTx2FejPySgdTxF304dqJqNn7A"
             b'6m9U="}],"role":"model"},"finishReason":"STOP","index":0,"finishMessage":"Model generated f'
             b'unction call(s)."}],"usageMetadata":{"promptTokenCount":11,"candidatesTokenCount":7,"totalT'
             b'okenCount":18},"modelVersion":"test-model","responseId":"nJshXwscuW3YLDMBVPi9nU"}'),
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

items = [{"role": "user", "content": "Is 2027 a prime number?"}]
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
    return litellm.responses(
        model="gemini/gemini-3.1-pro-preview",
        input=items,
        max_output_tokens=1024,
        tools=tools,
        reasoning={"effort": "medium", "summary": "auto"},
        include=["reasoning.encrypted_content"],
        store=False,
        api_base=BASE_URL + "/v1beta",
        api_key="test-key",
        max_retries=0,
    )


answer = ask()
print(f"\n<-- {answer!r}")
output = [item.model_dump(exclude_none=True) for item in answer.output]
items += output
items += [{"role": "user", "content": "Count the primes below it."}]
answer = ask()
print(f"\n<-- {answer!r}")

# gemini.history.thought-signature-verbatim: A thoughtSignature is replayed to the model that made it,
#   unchanged, on the call it came on, in every step of a chain; one that came on a text comes back on that text
#   or on an empty text part.
#   at:       /contents/1/parts in request 2
#   expected: {"thoughtSignature": "+/8k2anfO+di7hRIw671YzVA0YzEf/GFvOS2Hbgo1oh6106KpG1Qkpno3lBukgc9o/mqmRSC2bQvVLNv43LVWxaHVUzrDGe7Cuvaq6kVfAZ9RgBdBKn1S1OXstfMy9CIEM0="}
#   found:    no part with it
#   harness:  conformance run env:litellm-responses --provider gemini --scenario reasoning.no_call --delivery blocking --rule gemini.history.thought-signature-verbatim
