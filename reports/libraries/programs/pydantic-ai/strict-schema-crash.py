# pip install pydantic-ai-slim[anthropic]==2.68.0
# declare.strict_calls/blocking on anthropic, made smaller; the provider is here, too
# common.adapter.completes: Every operation that the adapter declares returns a value of the right…
#   at (whole) in what the library makes of the last answer
#   expected: a request from complete
#   found:    complete raised AssertionError: Expected code to be unreachable, but got: ['str…

from anthropic import AsyncAnthropic
from pydantic_ai import ModelRequest, ToolDefinition, UserPromptPart
from pydantic_ai.direct import model_request_sync
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.providers.anthropic import AnthropicProvider

BASE_URL = "http://127.0.0.1:9"

provider = AnthropicProvider(anthropic_client=AsyncAnthropic(
    api_key="test-key", base_url=BASE_URL, max_retries=0,
))
model = AnthropicModel(
    "test-model", provider=provider, profile=provider.model_profile("claude-sonnet-4-5"),
)
answer = model_request_sync(
    model,
    messages=model.prepare_messages([ModelRequest(parts=[UserPromptPart(content=("Wake me a"
     "t six, an"
     "d loudly."))])]),
    model_settings={"max_tokens": 1024},
    model_request_parameters=ModelRequestParameters(function_tools=[ToolDefinition(
        name="set_alarm",
        parameters_json_schema={
            "type": "object", "properties": {"label": {"type": ["string", "null"]}},
        },
        description="Set an alarm", strict=True,
    )]),
)
print("<--", answer)
