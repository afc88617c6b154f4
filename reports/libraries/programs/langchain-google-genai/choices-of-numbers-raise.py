# pip install langchain-google-genai==4.4.3 langchain
# declare.choices_of_other_types/blocking on gemini, made smaller; the provider is here, too
# common.declare.schema-passthrough: The description and the JSON Schema of a tool reach the wire …
#   at (whole) in the last request
#   expected: a request
#   found:    complete raised ValidationError: 3 validation errors for Schema enum.0 Input sh…

import langchain_google_genai
from langchain_core.messages import HumanMessage

BASE_URL = "http://127.0.0.1:9"

model = langchain_google_genai.ChatGoogleGenerativeAI(
    model="gemini-3-pro-preview", google_api_key="test-key", max_output_tokens=1024, max_retries=1,
    base_url=BASE_URL,
)
model_2 = model.bind_tools(tools=[{
    "type": "function",
    "function": {
        "name": "set_log", "description": "Set how much is logged",
        "parameters": {"type": "object", "properties": {"level": {"enum": [10, 20, 30]}}},
    },
}])
model_2.invoke([HumanMessage(content="Log warnings, and half of the rest.")])
