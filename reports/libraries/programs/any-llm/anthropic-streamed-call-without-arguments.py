# pip install any-llm-sdk[anthropic,cohere]==1.40.2
# handoff.empty_argument_text/blocking on anthropic, made smaller; the provider is here, too
# common.adapter.completes: Every operation that the adapter declares returns a value of the right…
#   at (whole) in what the library makes of the last answer
#   expected: a request from complete
#   found:    complete raised JSONDecodeError: Expecting value: line 1 column 1 (char 0)

import any_llm

BASE_URL = "http://127.0.0.1:9"

answer = any_llm.completion(
    model="test-model",
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
    max_tokens=1024, reasoning_effort="none", provider="anthropic", api_key="test-key",
    api_base=BASE_URL, client_args={"max_retries": 0},
)
print("<--", answer)
