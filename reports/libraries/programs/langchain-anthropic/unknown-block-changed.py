# pip install langchain-anthropic==1.7.7

# quirks.unknown_fields/blocking on anthropic, without the harness: this program is the provider, too.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from langchain_anthropic import ChatAnthropic
from langchain_core.messages import HumanMessage, ToolMessage

ANSWERS = [
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"model":"test-model","id":"msg_q4ecTmH3qcAMxCNjtRag9DxD","type":"message","role":"assistan'
             b't","content":[{"type":"x_unknown_block","data":{"nested":[1]},"x_unknown":{"nested":[1]}},{'
             b'"type":"text","text":"I will.","x_unknown":{"nested":[1]}},{"type":"tool_use","id":"toolu_J'
             b'fJz6H2Eeh7RuXSzH3zVSW9v","name":"read_file","input":{"absolute_path":"/srv/a.txt"},"x_unkno'
             b'wn":{"nested":[1]}}],"stop_reason":"tool_use","stop_sequence":null,"stop_details":null,"usa'
             b'ge":{"input_tokens":11,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"cache_c'
             b'reation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0},"output_tokens":7,"s'
             b'ervice_tier":"standard","x_unknown":{"nested":[1]}},"x_unknown":{"nested":[1]}}'),
        ],
    ),
    (
        200,
        {"content-type": "application/json"},
        [
            (b'{"model":"test-model","id":"msg_yiwTP6HsRSJNEy72mHfAixH8","type":"message","role":"assistan'
             b't","content":[{"type":"x_unknown_block","data":{"nested":[1]},"x_unknown":{"nested":[1]}},{'
             b'"type":"text","text":"It says hello.","x_unknown":{"nested":[1]}}],"stop_reason":"end_turn"'
             b',"stop_sequence":null,"stop_details":null,"usage":{"input_tokens":11,"cache_creation_input_'
             b'tokens":0,"cache_read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephe'
             b'meral_1h_input_tokens":0},"output_tokens":7,"service_tier":"standard","x_unknown":{"nested"'
             b':[1]}},"x_unknown":{"nested":[1]}}'),
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

model = ChatAnthropic(
    model="test-model",
    api_key="test-key",
    base_url=BASE_URL,
    max_tokens=1024,
    max_retries=0,
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
        },
    },
]


def ask():
    return model.bind_tools(tools=tools).invoke(messages)


answer = ask()
print(f"\n<-- {answer!r}")
messages.append(answer)
calls = [*answer.tool_calls, *answer.invalid_tool_calls]
messages += [ToolMessage(content="hello", tool_call_id=calls[0]["id"], name="read_file")]
answer = ask()
print(f"\n<-- {answer!r}")

# anthropic.shape.request-types: Every field of the request that concerns messages, tools and tool choice has
#   the type that the official SDK's types give it.
#   at:       /messages/1/content/0/type in request 2
#   expected: ["text", "image", "document", "search_result", "thinking", "redacted_thinking", "tool_use", "tool_result", "server_tool_use", "web_search_tool_result", "web_fetch_tool_result", "advisor_tool_result", "code_execution_tool_result", "bash_code_execution_tool_result", "text_editor_code_execution_tool_result", "tool_search_tool_result", "mcp_tool_use", "mcp_tool_result", "container_upload", "compaction", "tool_addition", "tool_removal", "mcp_tool_listing", "fallback"]
#   found:    x_unknown_block
#   harness:  conformance run env:langchain-anthropic --provider anthropic --scenario quirks.unknown_fields --delivery blocking --rule anthropic.shape.request-types
