# pip install litellm==1.110.2
# reasoning.no_call/blocking on openai-responses, made smaller; the provider is here, too
# responses.history.reasoning-item-followed: A replayed reasoning item is followed by the item tha…
#   at /input/1 in the last request
#   expected: the item that followed this one, with its id
#   found:    {"type": "message", "role": "assistant"}

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import litellm

ANSWERS = [
    (200, {"content-type": "application/json"}, [
        b'{"id":"resp_EybPPJjPKVFTSvJdkLwGRira8NAWrimArwVgNzVaWqYZywTn","created_at":1760000000,"o'
        b'utput":[{"id":"rs_LfaDpfVmP6ypSpsDRfApBDLLJQLRDKRVkN99YsFgPec76fhh","type":"reasoning","'
        b'encrypted_content":"+/8k2anfO+di7hRIw671YzVA0YzEf/GFvOS2Hbgo1oh6106KpG1Qkpno3lBukgc9o/mq'
        b'mRSC2bQvVLNv43LVWxaHVUzrDGe7Cuvaq6kVfAZ9RgBdBKn1S1OXstfMy9CIEM0=","summary":[{"type":"su'
        b'mmary_text","text":"2027 is not divisible by 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37,'
        b' 41 or 43."}]},{"type":"message","content":[{"type":"output_text","text":"Yes, 2027 is p'
        b'rime."}]}],"usage":{"input_tokens":11,"output_tokens":7,"total_tokens":18}}',
    ]),
]

class Provider(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        if "responses" not in self.path: return self.send_error(404)
        print(f"--> POST {self.path}\n{body}\n")
        status, headers, chunks = ANSWERS.pop(0) if len(ANSWERS) > 1 else ANSWERS[0]
        self.send_response(status)
        self.send_header("content-type", headers["content-type"])
        self.end_headers()
        self.wfile.write(b"".join(chunks))

server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
threading.Thread(target=server.serve_forever, daemon=True).start()
BASE_URL = f"http://127.0.0.1:{server.server_port}"

answer = litellm.completion(
    model="openai/responses/gpt-5", api_base=BASE_URL + "/v1", api_key="test-key", max_retries=0,
    messages=[{"role": "user", "content": "Is 2027 a prime number?"}], max_tokens=1024,
)
litellm.completion(
    model="openai/responses/gpt-5", api_base=BASE_URL + "/v1", api_key="test-key", max_retries=0,
    messages=[{"role": "user", "content": "Is 2027 a prime number?"}, answer.choices[0].message],
    max_tokens=1024,
)
