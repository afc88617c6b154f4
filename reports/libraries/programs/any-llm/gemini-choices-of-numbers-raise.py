# pip install any-llm-sdk[cohere,gemini]==1.40.2
# declare.choices_of_other_types/blocking on gemini, made smaller; the provider is here, too
# common.declare.schema-passthrough: The description and the JSON Schema of a tool reach the wire …
#   at (whole) in the last request
#   expected: a request
#   found:    complete raised InvalidRequestError: [gemini] Tool 'set_log' has an invalid par…

import any_llm
from google.genai.types import HttpOptions

BASE_URL = "http://127.0.0.1:9"

any_llm.completion(
    model="gemini-3.1-pro-preview",
    messages=[{"role": "user", "content": "Log warnings, and half of the rest."}], max_tokens=1024,
    reasoning_effort="auto",
    tools=[{
        "type": "function",
        "function": {
            "name": "set_log", "description": "Set how much is logged",
            "parameters": {"type": "object", "properties": {"share": {"enum": [1]}}},
        },
    }],
    provider="gemini", api_key="test-key", api_base=BASE_URL,
    client_args={"http_options": HttpOptions(base_url=BASE_URL)},
)
