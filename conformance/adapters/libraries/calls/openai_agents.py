"""openai-agents, by the models that its runner asks."""

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
    data_url,
    error_text,
    functions,
    history,
    pictured,
)
from conformance.model import AssistantTurn, Conversation, ImagePart, Json, Part, UserTurn, compact_json, part_text


def _items(item: Utterance, scene: Scene) -> Iterator[Any]:
    match item:
        case UserTurn(text):
            yield {"role": "user", "content": text}
        case AssistantTurn(text=text, calls=calls):
            if text:
                yield {"role": "assistant", "content": text}
            for call in calls:
                name, arguments = scene.name(call.name), compact_json(replayable(call))
                yield {"type": "function_call", "call_id": call.id, "name": name, "arguments": arguments}
        case results:
            for result in results:
                pictures = pictured(result, scene)
                output = error_text(result) if pictures is None else list(map(_part, pictures))
                call_id = scene.reference(result.call_id)
                yield {"type": "function_call_output", "call_id": call_id, "output": output}


def _part(part: Part) -> Json:
    if isinstance(part, ImagePart):
        return {"type": "input_image", "image_url": data_url(part)}
    return {"type": "input_text", "text": part_text(part)}


def _agents_fields(provider: str, conversation: Conversation, stream: bool) -> Fields:
    search = [made("WebSearchTool")] if builtins(conversation) else []
    return {
        "system_instructions": conversation.system,
        "input": history(_items, provider, conversation),
        "model_settings": made("ModelSettings", **_agents_settings(provider, conversation)),
        "tools": [
            *search,
            *(
                made("FunctionTool", name=name, description=tool.description, params_json_schema=function_schema(tool),
                     on_invoke_tool=None, strict_json_schema=bool(tool.strict))
                for name, tool in functions(conversation)
            ),
        ],
        "output_schema": None,
        "handoffs": [],
        "tracing": Source("ModelTracing.DISABLED"),
        "previous_response_id": None,
        "conversation_id": None,
        "prompt": None,
    }  # fmt: skip


def _agents_settings(provider: str, conversation: Conversation) -> Fields:
    settings: Fields = {"max_tokens": conversation.max_tokens, "include_usage": True}
    if (word := chosen(conversation)) is not None:
        settings["tool_choice"] = word
    if conversation.choice.parallel is not None:
        settings["parallel_tool_calls"] = conversation.choice.parallel
    if not conversation.reasoning:
        return settings
    if provider == "anthropic":  # Claude cannot be made to call a tool while thinking
        settings.pop("tool_choice", None)
        return settings | {"reasoning": made("Reasoning", effort="low"), "max_tokens": 2048}
    thinking = made("Reasoning", effort="medium", summary="auto")
    return settings | {"reasoning": thinking, "store": False, "response_include": ["reasoning.encrypted_content"]}


_RESPONSE = Way(
    ask="return loop.run_until_complete(model.get_response($arguments))",
    own="output = answer.output\nitems += [item.model_dump(exclude_unset=True) for item in output]",
    calls='[item for item in output if item.type == "function_call"]',
    call_id="calls[$n].call_id",
    helpers=LOOP,
)
_EVENTS = replace(
    _RESPONSE,
    ask="""\
async def stream():
    return [event async for event in model.stream_response($arguments)]

return loop.run_until_complete(stream())""",
    own="output = answer[-1].response.output\nitems += [item.model_dump(exclude_unset=True) for item in output]",
)


def _agents(imports: str, client: str) -> Call:
    return Call(
        imports=f"""\
import asyncio
from agents import FunctionTool, ModelSettings, WebSearchTool
from agents.models.interface import ModelTracing
from openai.types.shared import Reasoning
{imports}""",
        client=client,
        fields=_agents_fields,
        history="input",
        blocking=_RESPONSE,
        streaming=_EVENTS,
        grow=by_turns(_items),
    )


def _openai_model(module: str, name: str) -> Call:
    return _agents(
        f"from agents.models.{module} import {name}\nfrom openai import AsyncOpenAI",
        f'client = AsyncOpenAI(base_url=$url, api_key="test-key", max_retries=0)\nmodel = {name}("$model", client)',
    )


CALLS: Mapping[str, Call] = {
    "openai-agents": _openai_model("openai_chatcompletions", "OpenAIChatCompletionsModel"),
    "openai-agents/openai-responses": _openai_model("openai_responses", "OpenAIResponsesModel"),
    "openai-agents/anthropic": _agents(
        "from agents.extensions.models.litellm_model import LitellmModel",
        'model = LitellmModel("anthropic/claude-sonnet-4-20250514", base_url=$url, api_key="test-key")',
    ),
}
"""By library, or by library and provider where that makes a difference."""
