"""llm, by ``conversation.prompt`` of its models for OpenAI."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from conformance.adapters.libraries.application import Utterance, function_schema, replayable, utterances
from conformance.adapters.libraries.calls.contract import Assign, Call, CallStep, ConversationGrowth, Fields, Way, made
from conformance.adapters.libraries.calls.neutral import (
    Scene,
    base_url,
    builtins,
    functions,
    itself,
    pictured,
    said_since,
)
from conformance.model import AssistantTurn, Conversation, ImagePart, JsonPart, ToolResult, UserTurn, result_text


def _fields(provider: str, conversation: Conversation, stream: bool) -> Fields:
    """The arguments of ``Conversation.prompt``. What happened with another provider is said in ``messages``."""
    turns = list(utterances(conversation))
    foreign = max((place + 1 for place, item in enumerate(turns) if isinstance(item, AssistantTurn)), default=0)
    system = [made("llm.system", conversation.system)] if conversation.system is not None else []
    scene = Scene(provider, conversation, itself)
    before = [new for item in turns[:foreign] for new in _messages(item, scene)]
    tools = [
        made("Tool", name=name, description=tool.description, input_schema=function_schema(tool))
        for name, tool in functions(conversation)
    ]
    return {
        **({"messages": [*system, *before]} if foreign else {}),
        **_new(turns[foreign:], scene),
        "system": conversation.system,
        "tools": [*(made("openai_models.WebSearch") for _ in builtins(conversation)), *tools],
        "max_tokens": conversation.max_tokens,
        **({"reasoning_effort": "medium"} if conversation.reasoning else {}),
    }


def _new(turns: Sequence[Utterance], scene: Scene) -> Fields:
    """What is said since the last answer."""
    texts = [item.text for item in turns if isinstance(item, UserTurn)]
    results = [result for item in turns if isinstance(item, tuple) for result in item]
    made_results = [_result("ToolResult", result, scene) for result in results]
    return {"prompt": "\n\n".join(texts) or None, "tool_results": made_results}


def _messages(item: Utterance, scene: Scene) -> Iterator[Any]:
    match item:
        case UserTurn(text):
            yield made("llm.user", text)
        case AssistantTurn(text=text, calls=calls):
            made_calls = [
                made("ToolCallPart", name=scene.name(call.name), arguments=dict(replayable(call)),
                     tool_call_id=call.id)
                for call in calls
            ]  # fmt: skip
            yield made("llm.assistant", *([text] if text else []), *made_calls)
        case results:
            parts = [_result("ToolResultPart", result, scene) for result in results]
            yield made("llm.tool_message", *parts)


def _result(constructor: str, result: ToolResult, scene: Scene) -> Any:
    """As ``Response.execute_tool_calls`` makes it of what a tool returned or raised."""
    text = result_text(result)
    match result.content:
        case (JsonPart(value),):
            text = value if isinstance(value, str) else json.dumps(value)
    images = [
        made("llm.Attachment", type=part.media_type, content=part.data)
        for part in pictured(result, scene) or ()
        if isinstance(part, ImagePart)
    ]
    return made(
        constructor,
        name=scene.name(result.name),
        output=f"Error: {text}" if result.is_error else text,
        tool_call_id=scene.reference(result.call_id),
        **({"attachments": images} if images else {}),
    )


def _grow(call: Call, grown: ConversationGrowth) -> Iterator[CallStep]:
    """The conversation is kept by the library. What is new is the next prompt."""
    if "messages" in call.fields(grown.provider, grown.before, grown.streamed):
        yield Assign("messages", None)
    scene = Scene(grown.provider, grown.after, grown.reference)
    for name, value in _new(said_since(grown), scene).items():
        yield Assign(name, value)


def _options(provider: str, conversation: Conversation) -> Fields:
    options: Fields = {
        "model_id": conversation.model,
        "model_name": conversation.model,
        "key": "test-key",
        "api_base": base_url(provider),
    }
    return options | {"supports_tools": True, **({"reasoning": True} if conversation.reasoning else {})}


def _model(name: str) -> Call:
    way = Way(
        ask="answer = talk.prompt($arguments)\nanswer.text()\nreturn answer",
        own="",
        also={"stream": False},
        calls="answer.tool_calls()",
        call_id="calls[$n].tool_call_id",
        shown="(answer.text(), answer.tool_calls(), answer.json())",
    )
    return Call(
        imports="import llm\nfrom llm import Tool, ToolResult\nfrom llm.default_plugins import openai_models\n"
        "from llm.parts import ToolCallPart, ToolResultPart",
        client=f"model = openai_models.{name}($options)\ntalk = model.conversation()",
        options=_options,
        fields=_fields,
        history="messages",
        changing=("prompt", "tool_results"),
        blocking=way,
        streaming=replace(way, also={"stream": True}),
        grow=_grow,
    )


CALLS: Mapping[str, Call] = {"llm": _model("Chat"), "llm/openai-responses": _model("Responses")}
"""By provider where that makes a difference."""
