"""haystack's generator for Anthropic: `AnthropicChatGenerator.run(messages, tools=…)`.

Streams are what it makes of them for a ``streaming_callback``; the reply is the same kind of message.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from typing import Any

import anthropic
from haystack import dataclasses as data
from haystack import tools
from haystack.dataclasses import ChatMessage
from haystack.utils import Secret
from haystack_integrations.components.generators.anthropic import AnthropicChatGenerator

from conformance.adapters.capture import door
from conformance.adapters.endpoint import Endpoint
from conformance.adapters.libraries.application import (
    OwnMessage,
    call_of,
    function_schema,
    kept,
    names_in,
    replayable,
    spoken,
    utterances,
)
from conformance.adapters.libraries.failures import sdk_failure
from conformance.adapters.libraries.looping import run_to_end
from conformance.adapters.libraries.sdk_clients import async_anthropic
from conformance.adapters.libraries.shim import Shim, WayDoors, everything, http_client
from conformance.model import (
    AssistantTurn,
    Conversation,
    ImagePart,
    Part,
    ProviderError,
    Stop,
    Tool,
    ToolResult,
    Usage,
    UserTurn,
    part_text,
    result_text,
)

CHOICES = {"auto": "auto", "none": "none", "required": "any", "tool": "tool"}
STOPS: Mapping[str, Stop] = {
    "length": "length",
    "max_tokens": "length",
    "content_filter": "refusal",
    "refusal": "refusal",
    "pause_turn": "pause",
}
"""Haystack's words, and Anthropic's where it hands them on."""


class HaystackAnthropic(Shim):
    """`AnthropicChatGenerator`."""

    name = "haystack-anthropic"
    distribution = "anthropic-haystack"
    homepage = "https://haystack.deepset.ai/integrations/anthropic"
    issues = "https://github.com/deepset-ai/haystack-core-integrations/issues"

    def __init__(self) -> None:
        offered = everything("anthropic")
        self.providers = {provider: names - {"strict"} for provider, names in offered.items()}
        super().__init__()

    def ask(self, provider: str, conversation: Conversation, endpoint: Endpoint, *, stream: bool) -> AssistantTurn:
        """One run of the generator."""
        builtin = [tool for tool in conversation.tools if tool.builtin is not None]
        doors = DOORS[self.way]
        generator = (new_async_generator if doors.on_a_loop else new_generator)(
            (async_anthropic if doors.on_a_loop else _client)(endpoint),
            api_key=token(endpoint.api_key),
            model=conversation.model,
            **({"ignore_tools_thinking_messages": False} if self.way == "all-words" else {}),
            **_server_tools(builtin),
        )
        answer = (doors.streamed if stream else doors.blocking)(
            generator,
            messages=list(_history(conversation)),
            tools=[_tool(tool, conversation) for tool in conversation.tools if tool.builtin is None],
            generation_kwargs=_settings(conversation),
        )
        [reply] = answer["replies"]
        return _turn(reply, conversation)

    def failure(self, problem: Exception) -> ProviderError | None:
        """The SDK's exceptions come through."""
        return sdk_failure(problem)


def _client(endpoint: Endpoint) -> Any:
    return anthropic_client(
        api_key=endpoint.api_key,
        base_url=endpoint.base_url,
        max_retries=0,
        http_client=http_client("anthropic", endpoint),
    )


# --- doors -----------------------------------------------------------------------------------------------------------

anthropic_client = door(anthropic.Anthropic)
token = door(Secret.from_token)
from_system = door(ChatMessage.from_system)
from_user = door(ChatMessage.from_user)
from_assistant = door(ChatMessage.from_assistant)
from_tool = door(ChatMessage.from_tool)


@door
def new_tool(**declared: Any) -> Any:
    """A tool that nobody calls."""
    return tools.Tool(**declared, function=lambda **arguments: None)


@door
def new_generator(client: Any, **options: Any) -> Any:
    """A generator. It has no option for a base URL, so it is given a client."""
    generator = AnthropicChatGenerator(**options)
    generator.client = client
    return generator


@door
def new_async_generator(client: Any, **options: Any) -> Any:
    """A generator with an asynchronous client."""
    generator = AnthropicChatGenerator(**options)
    generator.async_client = client
    return generator


@door
def generate_async(generator: Any, **asked: Any) -> Any:
    """``replies``, a list."""
    return run_to_end(generator.run_async(**asked))


@door
def generate(generator: Any, **asked: Any) -> Any:
    """``replies``, a list."""
    return generator.run(**asked)


@door
def generate_streaming(generator: Any, **asked: Any) -> Any:
    """``replies`` of a stream."""
    return generator.run(**asked, streaming_callback=lambda chunk: None)


@door
def generate_streaming_async(generator: Any, **asked: Any) -> Any:
    """``replies`` of a stream."""

    async def heard(chunk: Any) -> None:
        pass

    return run_to_end(generator.run_async(**asked, streaming_callback=heard))


DOORS: Mapping[str, WayDoors] = {
    "": WayDoors(generate, generate_streaming),
    "all-words": WayDoors(generate, generate_streaming),
    "async": WayDoors(generate_async, generate_streaming_async, on_a_loop=True),
}
"""The doors of each way. By default the library leaves out what the model says beside calls."""


# --- asking ----------------------------------------------------------------------------------------------------------


def _server_tools(builtin: list[Tool]) -> dict[str, Any]:
    if not builtin:
        return {}
    return {
        "anthropic_server_tools": [{"type": f"{tool.builtin}_20250305", "name": tool.builtin} for tool in builtin]
    }


def _tool(tool: Tool, conversation: Conversation) -> Any:
    return new_tool(
        name=names_in(conversation)[tool.name],
        description=tool.description,
        parameters=dict(function_schema(tool)),
    )


def _settings(conversation: Conversation) -> dict[str, Any]:
    settings: dict[str, Any] = {"max_tokens": conversation.max_tokens}
    choice = conversation.choice
    if conversation.reasoning:
        settings |= {"thinking": {"type": "enabled", "budget_tokens": 1024}, "max_tokens": 2048}
    chosen: dict[str, Any] = {"type": "auto" if conversation.reasoning else CHOICES[choice.mode]}
    if chosen["type"] == "tool":
        chosen["name"] = names_in(conversation)[choice.name or ""]
    if choice.parallel is False:
        chosen["disable_parallel_tool_use"] = True
    if conversation.tools and chosen != {"type": "auto"}:
        settings["tool_choice"] = chosen
    return settings


def _history(conversation: Conversation) -> Iterator[Any]:
    if conversation.system is not None:
        yield from_system(conversation.system)
    own: Mapping[str, Any] = {}
    for item in utterances(conversation):
        match item:
            case UserTurn(text):
                yield from_user(text)
            case AssistantTurn():
                message = _replayed(item, conversation)
                own = dict(zip((call.id for call in item.calls), message.tool_calls, strict=True))
                yield message
            case results:
                yield from (_result(result, own[result.call_id], conversation) for result in results)


def _replayed(turn: AssistantTurn, conversation: Conversation) -> Any:
    """The library's own message; one written by hand for a turn of another provider, or one that it misread."""
    own = kept(turn)
    if own is not None:
        return own
    names = names_in(conversation)
    calls = [
        data.ToolCall(tool_name=names.get(call.name, call.name), arguments=dict(replayable(call)), id=call.id)
        for call in turn.calls
    ]
    return from_assistant(spoken(turn) or None, tool_calls=calls)


def _result(result: ToolResult, origin: Any, conversation: Conversation) -> Any:
    content: Any = result_text(result)
    if conversation.profile == "native" and any(isinstance(part, ImagePart) for part in result.content):
        content = [_content(part) for part in result.content]
    return from_tool(tool_result=content, origin=origin, error=result.is_error)


def _content(part: Part) -> Any:
    if isinstance(part, ImagePart):
        return data.ImageContent(base64_image=base64.b64encode(part.data).decode(), mime_type=part.media_type)
    return data.TextContent(text=part_text(part))


# --- hearing ---------------------------------------------------------------------------------------------------------


def _turn(reply: Any, conversation: Conversation) -> AssistantTurn:
    calls = tuple(call_of(call.id, call.tool_name, call.arguments, conversation) for call in reply.tool_calls)
    word = reply.meta.get("finish_reason")
    usage = reply.meta.get("usage") or {}
    asked = usage.get("input_tokens", usage.get("prompt_tokens"))
    answered = usage.get("output_tokens", usage.get("completion_tokens"))
    return AssistantTurn(
        text=reply.text or "",
        calls=calls,
        stop="incomplete" if word is None else STOPS.get(word, "tool_calls" if calls else "end"),
        usage=Usage(asked, answered) if asked is not None and answered is not None else None,
        opaque=OwnMessage(reply, calls),
    )
