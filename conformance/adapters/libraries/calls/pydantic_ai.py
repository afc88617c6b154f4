"""pydantic-ai, by its direct model requests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from conformance.adapters.libraries.application import Utterance, function_schema, replayable
from conformance.adapters.libraries.calls.contract import LOOP, Call, Fields, Source, Way, made
from conformance.adapters.libraries.calls.neutral import (
    Scene,
    builtins,
    by_turns,
    chosen,
    functions,
    history,
    strictness,
)
from conformance.model import (
    AssistantTurn,
    Conversation,
    ImagePart,
    JsonPart,
    Part,
    ToolResult,
    UserTurn,
    result_text,
)

THINKING: Mapping[str, Fields] = {
    "openai-responses": {"openai_reasoning_effort": "medium", "openai_reasoning_summary": "auto"},
    "anthropic": {"anthropic_thinking": {"type": "enabled", "budget_tokens": 1024}, "max_tokens": 2048},
    "gemini": {"google_thinking_config": {"include_thoughts": True}},
}
"""How each provider's own settings ask it to think."""


def _requests(item: Utterance, scene: Scene) -> Iterator[Any]:
    match item:
        case UserTurn(text):
            yield made("ModelRequest", parts=[made("UserPromptPart", text)])
        case AssistantTurn(text=text, calls=calls):
            parts = [made("TextPart", text)] if text else []
            for call in calls:
                parts.append(made("ToolCallPart", scene.name(call.name), dict(replayable(call)), tool_call_id=call.id))
            yield made("ModelResponse", parts=parts)
        case results:
            yield made("ModelRequest", parts=[_returned(result, scene) for result in results])


def _returned(result: ToolResult, scene: Scene) -> Any:
    failed = {"outcome": "failed"} if result.is_error else {}
    call_id = scene.reference(result.call_id)
    return made("ToolReturnPart", scene.name(result.name), _content(result, scene), tool_call_id=call_id, **failed)


def _content(result: ToolResult, scene: Scene) -> Any:
    """What a tool function would have returned."""
    match result.content:
        case (JsonPart(value),):
            return value
    images = any(isinstance(part, ImagePart) for part in result.content)
    if images and (scene.provider == "gemini" or scene.conversation.profile == "native"):
        return [_part(part) for part in result.content]
    return result_text(result)


def _part(part: Part) -> Any:
    if isinstance(part, ImagePart):
        return made("BinaryContent", part.data, media_type=part.media_type)
    return part.value if isinstance(part, JsonPart) else part.text


def _pydantic_fields(provider: str, conversation: Conversation, stream: bool) -> Fields:
    said = history(_requests, provider, conversation)
    if conversation.system is not None:
        said[0].options["parts"].insert(0, made("SystemPromptPart", conversation.system))
    tools = [
        made("ToolDefinition", name=name, description=tool.description, parameters_json_schema=function_schema(tool),
             **strictness(tool))
        for name, tool in functions(conversation)
    ]  # fmt: skip
    search = {"native_tools": [made("WebSearchTool")]} if builtins(conversation) else {}
    return {
        "model": Source("model"),
        "messages": said,
        "model_settings": _pydantic_settings(provider, conversation),
        "model_request_parameters": made("ModelRequestParameters", function_tools=tools, **search),
    }


def _pydantic_settings(provider: str, conversation: Conversation) -> Fields:
    choice = conversation.choice
    settings: Fields = {"max_tokens": conversation.max_tokens}
    word = chosen(conversation)
    if word is not None and not (provider == "anthropic" and conversation.reasoning):
        settings["tool_choice"] = [word] if choice.mode == "tool" else word
    if choice.parallel is not None:
        settings["parallel_tool_calls"] = choice.parallel
    if provider == "deepseek":  # it thinks unless it is told not to, and cannot be forced then
        thinks = conversation.reasoning and choice.mode in ("auto", "none")
        settings["extra_body"] = {"thinking": {"type": "enabled" if thinks else "disabled"}}
    return {**settings, **(THINKING.get(provider, {}) if conversation.reasoning else {})}


_REQUEST = Way(
    ask="history = model.prepare_messages(messages)\nreturn model_request_sync(messages=history, $bound)",
    own="messages.append(answer)",
    calls="answer.tool_calls",
    call_id="calls[$n].tool_call_id",
)
_IMPORTS = """\
import asyncio
from pydantic_ai.direct import model_request_stream, model_request_sync
from pydantic_ai.messages import BinaryContent, ModelRequest, ModelResponse, SystemPromptPart, TextPart, ToolCallPart
from pydantic_ai.messages import ToolReturnPart, UserPromptPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.native_tools import WebSearchTool
from pydantic_ai.tools import ToolDefinition
"""


def _pydantic(imports: str, client: str) -> Call:
    return Call(
        imports=_IMPORTS + imports,
        client=client,
        fields=_pydantic_fields,
        blocking=_REQUEST,
        streaming=replace(
            _REQUEST,
            ask="""\
async def stream():
    history = model.prepare_messages(messages)
    async with model_request_stream(messages=history, $bound) as events:
        async for _ in events:
            pass
        return events.get()

return loop.run_until_complete(stream())""",
            helpers=LOOP,
        ),
        grow=by_turns(_requests),
    )


_OPENAI = """\
from openai import AsyncOpenAI
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider"""
_OPENAI_CLIENT = """\
client = AsyncOpenAI(base_url=$url, api_key="test-key", max_retries=0)
model = OpenAIChatModel("gpt-5", provider=OpenAIProvider(openai_client=client))"""
_PYDANTIC_AI = _pydantic(_OPENAI, _OPENAI_CLIENT)

CALLS: Mapping[str, Call] = {
    "pydantic-ai": _PYDANTIC_AI,
    "pydantic-ai/openai-responses": _pydantic(
        _OPENAI.replace("ChatModel", "ResponsesModel"), _OPENAI_CLIENT.replace("ChatModel", "ResponsesModel")
    ),
    "pydantic-ai/azure": _pydantic(
        """\
from openai import AsyncAzureOpenAI
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.azure import AzureProvider""",
        """\
client = AsyncAzureOpenAI(
    azure_endpoint=$url,
    api_version="2024-10-21",
    api_key="test-key",
    max_retries=0,
)
model = OpenAIChatModel("gpt-5", provider=AzureProvider(openai_client=client))""",
    ),
    "pydantic-ai/deepseek": _pydantic(
        _OPENAI.replace("OpenAIProvider", "DeepSeekProvider").replace("providers.openai", "providers.deepseek"),
        _OPENAI_CLIENT.replace("OpenAIProvider", "DeepSeekProvider").replace("gpt-5", "$model"),
    ),
    "pydantic-ai/mistral": _pydantic(
        """\
from pydantic_ai.models.mistral import MistralModel
from pydantic_ai.providers.mistral import MistralProvider""",
        'model = MistralModel("$model", provider=MistralProvider(base_url=BASE_URL, api_key="test-key"))',
    ),
    "pydantic-ai/anthropic": _pydantic(
        """\
from anthropic import AsyncAnthropic
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.providers.anthropic import AnthropicProvider""",
        """\
client = AsyncAnthropic(base_url=$url, api_key="test-key", max_retries=0)
model = AnthropicModel("claude-sonnet-4-5", provider=AnthropicProvider(anthropic_client=client))""",
    ),
    "pydantic-ai/gemini": _pydantic(
        """\
from pydantic_ai.models.google import GoogleModel
from pydantic_ai.providers.google import GoogleProvider""",
        'model = GoogleModel("gemini-3-pro-preview", provider=GoogleProvider(base_url=$url, api_key="test-key"))',
    ),
}
"""By provider where that makes a difference."""
