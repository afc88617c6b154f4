"""haystack, by its generator for Anthropic."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from conformance.adapters.libraries.application import Utterance, function_schema, replayable
from conformance.adapters.libraries.calls.contract import Call, Fields, Source, Way, made
from conformance.adapters.libraries.calls.neutral import (
    Scene,
    builtins,
    by_turns,
    call_of,
    declared,
    functions,
    history,
    pictured,
)
from conformance.model import AssistantTurn, Conversation, ImagePart, Part, ToolCall, UserTurn, part_text, result_text

CHOICES = {"auto": "auto", "none": "none", "required": "any", "tool": "tool"}
"""Anthropic's words."""


def _write(item: Utterance, scene: Scene) -> Iterator[Any]:
    match item:
        case UserTurn(text):
            yield made("ChatMessage.from_user", text)
        case AssistantTurn(text=text, calls=calls):
            tool_calls = [_call(call, scene) for call in calls]
            yield made("ChatMessage.from_assistant", text or None, tool_calls=tool_calls)
        case results:
            for result in results:
                own = scene.reference(result.call_id)
                origin = _call(call_of(result, scene.conversation), scene) if isinstance(own, str) else own
                pictures = pictured(result, scene)
                content = result_text(result) if pictures is None else list(map(_content, pictures))
                failed = {"error": True} if result.is_error else {}
                yield made("ChatMessage.from_tool", content, origin=origin, **failed)


def _call(call: ToolCall, scene: Scene) -> Any:
    return made("ToolCall", tool_name=scene.name(call.name), arguments=dict(replayable(call)), id=call.id)


def _content(part: Part) -> Any:
    if isinstance(part, ImagePart):
        data = base64.b64encode(part.data).decode()
        return made("ImageContent", base64_image=data, mime_type=part.media_type)
    return made("TextContent", text=part_text(part))


def _fields(provider: str, conversation: Conversation, stream: bool) -> Fields:
    """The arguments of ``run``, with Anthropic's own settings. Tools are never run here: any function will do."""
    system = [made("ChatMessage.from_system", conversation.system)] if conversation.system is not None else []
    return {
        "messages": [*system, *history(_write, provider, conversation)],
        "tools": [
            made("Tool", name=name, description=tool.description, parameters=function_schema(tool),
                 function=Source("print"))
            for name, tool in functions(conversation)
        ],
        "generation_kwargs": _settings(conversation),
    }  # fmt: skip


def _settings(conversation: Conversation) -> Fields:
    choice = conversation.choice
    settings: Fields = {"max_tokens": conversation.max_tokens}
    if conversation.reasoning:  # Claude cannot be made to call a tool while thinking
        settings = {"max_tokens": 2048, "thinking": {"type": "enabled", "budget_tokens": 1024}}
    chosen: Fields = {"type": "auto" if conversation.reasoning else CHOICES[choice.mode]}
    if chosen["type"] == "tool":
        chosen["name"] = declared(choice.name or "", conversation)
    if choice.parallel is False:
        chosen["disable_parallel_tool_use"] = True
    return settings | ({"tool_choice": chosen} if conversation.tools and chosen != {"type": "auto"} else {})


def _options(provider: str, conversation: Conversation) -> Fields:
    servers = [{"type": f"{kind}_20250305", "name": kind} for kind in builtins(conversation)]
    options: Fields = {"api_key": made("Secret.from_token", "test-key"), "model": conversation.model, "max_retries": 0}
    options["ignore_tools_thinking_messages"] = False  # by default it drops what the model says beside calls
    return options | ({"anthropic_server_tools": servers} if servers else {})


_REPLY = Way(
    ask="return generator.run($arguments)",
    own='messages += answer["replies"]',
    calls="messages[-1].tool_calls",
    call_id="calls[$n]",
)

CALLS: Mapping[str, Call] = {
    "haystack-anthropic": Call(
        imports="""\
import os
from haystack.dataclasses import ChatMessage, ImageContent, TextContent, ToolCall
from haystack.tools import Tool
from haystack.utils import Secret
from haystack_integrations.components.generators.anthropic import AnthropicChatGenerator""",
        client='os.environ["ANTHROPIC_BASE_URL"] = $url\ngenerator = AnthropicChatGenerator($options)',
        options=_options,
        fields=_fields,
        blocking=_REPLY,
        streaming=replace(_REPLY, also={"streaming_callback": Source("lambda chunk: None")}),
        grow=by_turns(_write),
    )
}
"""Under the library's name."""
