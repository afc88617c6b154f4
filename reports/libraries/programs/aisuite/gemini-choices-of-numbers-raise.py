# pip install aisuite[gemini,mcp]==0.2.0
# declare.choices_of_other_types/blocking on gemini, made smaller; the provider is here, too
# common.declare.schema-passthrough: The description and the JSON Schema of a tool reach the wire …
#   at (whole) in the last request
#   expected: a request
#   found:    complete raised ValidationError: 2 validation errors for GenerateContentConfig …

from aisuite import Client
from google.genai.types import HttpOptions

BASE_URL = "http://127.0.0.1:9"

client = Client({"gemini": {"api_key": "test-key", "http_options": HttpOptions(base_url=BASE_URL)}})
client.chat.completions.create(
    model="gemini:test-model",
    messages=[{"role": "user", "content": "Log warnings, and half of the rest."}], max_tokens=1024,
    tools=[{
        "type": "function",
        "function": {
            "name": "set_log", "description": "Set how much is logged",
            "parameters": {"type": "object", "properties": {"level": {"enum": [20, 30]}}},
        },
    }],
)
