# pip install aisuite[anthropic,mcp]==0.2.0
# handoff.empty_argument_text/blocking on anthropic, made smaller; the provider is here, too
# common.adapter.completes: Every operation that the adapter declares returns a value of the right…
#   at (whole) in what the library makes of the last answer
#   expected: a request from complete
#   found:    complete raised JSONDecodeError: Expecting value: line 1 column 1 (char 0)

from aisuite import Client

BASE_URL = "http://127.0.0.1:9"

client = Client({"anthropic": {"api_key": "test-key", "base_url": BASE_URL, "max_retries": 0}})
answer = client.chat.completions.create(
    model="anthropic:test-model",
    messages=[
        {"role": "user", "content": "What is left to do?"},
        {
            "role": "assistant", "content": "",
            "tool_calls": [{
                "id": "call_sfPR5RoEETL7UY9Hp9MPnfKp", "type": "function",
                "function": {"name": "list_todos", "arguments": ""},
            }],
        },
        {
            "role": "tool", "tool_call_id": "call_sfPR5RoEETL7UY9Hp9MPnfKp",
            "content": "write the docs",
        },
    ],
    max_tokens=1024,
)
print("<--", answer)
