"""The anthropic SDK on Messages. Streams are accumulated by ``messages.stream(...).get_final_message()``."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import anthropic
from anthropic.types import Message

from conformance.adapters.capture import door
from conformance.adapters.endpoint import Endpoint
from conformance.adapters.libraries.answer_types import answer_type, parsed
from conformance.adapters.libraries.anthropic_events import (
    EventMessage,
    by_blocks,
    by_fragments,
    by_snapshots,
    fragment_news,
    snapshot_news,
    with_text,
)
from conformance.adapters.libraries.application import (
    OwnMessage,
    call_of,
    fitting,
    function_schema,
    kept,
    names_in,
    replayable,
    reported,
    spoken,
    utterances,
    with_usable_ids,
)
from conformance.adapters.libraries.looping import run_to_end
from conformance.adapters.libraries.news import TellingShim
from conformance.adapters.libraries.sdk_clients import async_anthropic
from conformance.adapters.libraries.shim import (
    LoopShim,
    WayDoors,
    everything,
    http_client,
    own_form,
    with_whole_messages,
)
from conformance.model import (
    AssistantTurn,
    Conversation,
    ImagePart,
    Json,
    News,
    Parsed,
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

USE_ID = "[a-zA-Z0-9_-]+"
CHOICES = {"auto": "auto", "none": "none", "required": "any", "tool": "tool"}
STOPS: dict[Any, Stop] = {"max_tokens": "length", "refusal": "refusal", "pause_turn": "pause", None: "incomplete"}
BUDGET = 1024
IMAGES = ("image/jpeg", "image/png", "image/gif", "image/webp")
"""The types that the SDK's ``Base64ImageSourceParam`` has."""

NEEDS = {"output_schema": ("anthropic.resources.messages:Messages.stream(output_format)",)}
"""What only newer releases have."""


class Anthropic(TellingShim, LoopShim):
    """``client.messages`` of ``anthropic.Anthropic``."""

    name = "anthropic"
    distribution = "anthropic"
    homepage = "https://github.com/anthropics/anthropic-sdk-python"
    issues = "https://github.com/anthropics/anthropic-sdk-python/issues"
    providers = with_whole_messages(everything("anthropic", own_words=True), "anthropic")
    needs = NEEDS

    def ask(self, provider: str, conversation: Conversation, endpoint: Endpoint, *, stream: bool) -> AssistantTurn:
        """One call of ``messages.create``, or of its streaming helper, or of what the way has instead."""
        doors = DOORS[self.way]
        made = async_anthropic if doors.on_a_loop else new_client
        client = self.shared(endpoint, f"client of {made.__name__}", lambda: made(endpoint))
        asked = _asked(conversation, by_type=stream or self.way.endswith("parse"))
        if not stream:
            return _turn(doors.blocking(client, **asked), conversation)
        message = doors.message(doors.streamed(client, **asked))
        return replace(_turn(message, conversation), message=own_form(getattr(message, "whole", message)))

    async def ask_on_a_loop(self, provider: str, conversation: Conversation, endpoint: Endpoint) -> AssistantTurn:
        """The same streamed, by the asynchronous client."""
        client = self.shared(endpoint, "async client", lambda: async_anthropic(endpoint))
        message = await final_message_on_a_loop(client, **_asked(conversation, by_type=True))
        return replace(_turn(message, conversation), message=own_form(getattr(message, "whole", message)))

    def told(self, provider: str, conversation: Conversation, endpoint: Endpoint) -> Iterator[News]:
        """What the events of a stream say."""
        events = each_event(new_client(endpoint), **_asked(conversation, by_type=True))
        return (snapshot_news if self.way == "snapshots" else fragment_news)(events, conversation)

    def failure(self, problem: Exception) -> ProviderError | None:
        """Errors are `anthropic.APIStatusError`. One inside a stream has the status of the stream itself, 200."""
        if not isinstance(problem, anthropic.APIStatusError):
            return None
        status = problem.status_code if problem.status_code != 200 else None
        return reported(status, problem.body, problem.response.headers)


def new_client(endpoint: Endpoint) -> anthropic.Anthropic:
    """A client that ends in ``endpoint``."""
    return anthropic_client(
        api_key=endpoint.api_key,
        base_url=endpoint.base_url,
        max_retries=0,
        http_client=http_client("anthropic", endpoint),
    )


# --- doors -----------------------------------------------------------------------------------------------------------

anthropic_client = door(anthropic.Anthropic)


@door
def create(client: Any, **asked: Any) -> Any:
    """A ``Message``."""
    return client.messages.create(**asked)


@door
def final_message(client: Any, **asked: Any) -> Any:
    """The ``Message`` that the SDK makes of a stream."""
    with client.messages.stream(**asked) as events:
        return events.get_final_message()


@door
def each_event(client: Any, **asked: Any) -> Any:
    """The events of a stream, as they come."""
    with client.messages.stream(**asked) as events:
        yield from events


@door
def all_events(client: Any, **asked: Any) -> Any:
    """The events of a stream."""
    with client.messages.stream(**asked) as events:
        return list(events)


@door
def all_events_async(client: Any, **asked: Any) -> Any:
    """The events of a stream, by an asynchronous client."""

    async def stream() -> Any:
        async with client.messages.stream(**asked) as events:
            return [event async for event in events]

    return run_to_end(stream())


@door
def text_and_message(client: Any, **asked: Any) -> Any:
    """The text of a stream, as it comes, and the ``Message``."""
    with client.messages.stream(**asked) as events:
        return list(events.text_stream), events.get_final_message()


@door
def text_and_message_async(client: Any, **asked: Any) -> Any:
    """The text of a stream, as it comes, and the ``Message``, by an asynchronous client."""

    async def stream() -> Any:
        async with client.messages.stream(**asked) as events:
            return [text async for text in events.text_stream], await events.get_final_message()

    return run_to_end(stream())


@door
def final_text(client: Any, **asked: Any) -> Any:
    """All text of a stream, and the ``Message``. The SDK wants there to be some."""
    with client.messages.stream(**asked) as events:
        message = events.get_final_message()
        text = events.get_final_text() if any(block.type == "text" for block in message.content) else ""
        return text, message


@door
def final_text_async(client: Any, **asked: Any) -> Any:
    """All text of a stream, and the ``Message``, by an asynchronous client."""

    async def stream() -> Any:
        async with client.messages.stream(**asked) as events:
            message = await events.get_final_message()
            text = await events.get_final_text() if any(block.type == "text" for block in message.content) else ""
            return text, message

    return run_to_end(stream())


@door
async def final_message_on_a_loop(client: Any, **asked: Any) -> Any:
    """The ``Message`` that the SDK makes of a stream, by an asynchronous client."""
    async with client.messages.stream(**asked) as events:
        return await events.get_final_message()


@door
def create_async(client: Any, **asked: Any) -> Any:
    """A ``Message``, by an asynchronous client."""
    return run_to_end(client.messages.create(**asked))


@door
def final_message_async(client: Any, **asked: Any) -> Any:
    """The ``Message`` that the SDK makes of a stream, by an asynchronous client."""

    async def stream() -> Any:
        async with client.messages.stream(**asked) as events:
            return await events.get_final_message()

    return run_to_end(stream())


@door
def parse(client: Any, **asked: Any) -> Any:
    """A ``ParsedMessage``."""
    return client.messages.parse(**asked)


@door
def parse_async(client: Any, **asked: Any) -> Any:
    """A ``ParsedMessage``, by an asynchronous client."""
    return run_to_end(client.messages.parse(**asked))


@door
def create_raw(client: Any, **asked: Any) -> Any:
    """The ``Message`` in a raw response."""
    return client.messages.with_raw_response.create(**asked).parse()


@door
def create_beta(client: Any, **asked: Any) -> Any:
    """A ``BetaMessage``."""
    return client.beta.messages.create(**asked)


@door
def final_beta_message(client: Any, **asked: Any) -> Any:
    """The ``BetaMessage`` that the SDK makes of a stream."""
    with client.beta.messages.stream(**asked) as events:
        return events.get_final_message()


@door
def create_beta_async(client: Any, **asked: Any) -> Any:
    """A ``BetaMessage``, by an asynchronous client."""
    return run_to_end(client.beta.messages.create(**asked))


@door
def final_beta_message_async(client: Any, **asked: Any) -> Any:
    """The ``BetaMessage`` that the SDK makes of a stream, by an asynchronous client."""

    async def stream() -> Any:
        async with client.beta.messages.stream(**asked) as events:
            return await events.get_final_message()

    return run_to_end(stream())


@door
def parse_beta(client: Any, **asked: Any) -> Any:
    """A ``ParsedBetaMessage``."""
    return client.beta.messages.parse(**asked)


@door
def parse_beta_async(client: Any, **asked: Any) -> Any:
    """A ``ParsedBetaMessage``, by an asynchronous client."""
    return run_to_end(client.beta.messages.parse(**asked))


DOORS: Mapping[str, WayDoors] = {
    "": WayDoors(create, final_message),
    "async": WayDoors(create_async, final_message_async, on_a_loop=True),
    "parse": WayDoors(parse, final_message),
    "async-parse": WayDoors(parse_async, final_message_async, on_a_loop=True),
    "raw-response": WayDoors(create_raw, final_message),
    "beta": WayDoors(create_beta, final_beta_message),
    "async-beta": WayDoors(create_beta_async, final_beta_message_async, on_a_loop=True),
    "beta-parse": WayDoors(parse_beta, final_beta_message),
    "async-beta-parse": WayDoors(parse_beta_async, final_beta_message_async, on_a_loop=True),
    "events": WayDoors(create, all_events, message=by_fragments),
    "snapshots": WayDoors(create, all_events, message=by_snapshots),
    "blocks": WayDoors(create, all_events, message=by_blocks),
    "async-events": WayDoors(create_async, all_events_async, on_a_loop=True, message=by_fragments),
    "text-stream": WayDoors(create, text_and_message, message=with_text),
    "final-text": WayDoors(create, final_text, message=with_text),
    "async-final-text": WayDoors(create_async, final_text_async, on_a_loop=True, message=with_text),
    "async-text-stream": WayDoors(create_async, text_and_message_async, on_a_loop=True, message=with_text),
}
"""The doors of each way."""


@door
def with_calls(content: Any, *calls: Any) -> Any:
    """The SDK's own blocks, with an id and an input for each call as the application has them."""
    uses = (block for block in content if block.type == "tool_use")
    for use, (call_id, arguments) in zip(uses, calls, strict=True):
        use.id, use.input = call_id, arguments
    return content


# --- asking ----------------------------------------------------------------------------------------------------------


def _asked(conversation: Conversation, *, by_type: bool) -> dict[str, Any]:
    """The arguments of ``messages.create``, and of its streaming helper, which takes the ``by_type`` of an answer."""
    asked: dict[str, Any] = {
        "model": conversation.model,
        "max_tokens": conversation.max_tokens,
        "messages": list(_messages(conversation)),
    }
    if conversation.system is not None:
        asked["system"] = [_kept(conversation.system)] if conversation.caching else conversation.system
    if conversation.reasoning:
        asked |= {"thinking": {"type": "enabled", "budget_tokens": BUDGET}, "max_tokens": BUDGET + 1024}
    asked |= _where_it_waits(conversation) | _output(conversation, by_type=by_type)
    return asked | _tools(conversation) if conversation.tools else asked


def _output(conversation: Conversation, *, by_type: bool) -> dict[str, Any]:
    if conversation.output is None:
        return {}
    if by_type and (known := answer_type(conversation)) is not None:
        return {"output_format": known}
    return {"output_config": {"format": {"type": "json_schema", "schema": conversation.output}}}


def _kept(system: str) -> Json:
    """The system prompt with a mark: it is kept, and the tools before it."""
    return {"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}


def _where_it_waits(conversation: Conversation) -> dict[str, Any]:
    """The container of the last message, if that has one: a program of the model's may wait in it for results."""
    turns = [turn for turn in conversation.turns if isinstance(turn, AssistantTurn)]
    own = turns[-1].opaque if turns else None
    given = getattr(own.message, "container", None) if isinstance(own, OwnMessage) else None
    return {} if given is None else {"container": given.id}


def _tools(conversation: Conversation) -> dict[str, Any]:
    names, choice = _names(conversation), conversation.choice
    chosen: dict[str, Any] = {"type": "auto" if conversation.reasoning else CHOICES[choice.mode]}
    if chosen["type"] == "tool":
        chosen["name"] = names[choice.name or ""]
    if choice.parallel is False:
        chosen["disable_parallel_tool_use"] = True
    return {"tools": [_tool(tool, names[tool.name]) for tool in conversation.tools], "tool_choice": chosen}


def _names(conversation: Conversation) -> dict[str, str]:
    """The declared names. A tool that the provider runs has a name of the provider's."""
    builtin: dict[str, str] = {tool.name: tool.builtin for tool in conversation.tools if tool.builtin}
    return names_in(conversation) | builtin


def _tool(tool: Tool, name: str) -> Json:
    if tool.builtin is not None:
        return {"type": f"{tool.builtin}_20250305", "name": name}
    if tool.kind is not None:
        return {"type": tool.kind, "name": tool.name}
    strict = {} if tool.strict is None else {"strict": tool.strict}
    return {"name": name, "description": tool.description, "input_schema": function_schema(tool), **strict}


def _messages(conversation: Conversation) -> Iterator[Any]:
    """The messages, without those that say nothing: the API refuses them."""
    for item in utterances(conversation):
        match item:
            case UserTurn(text):
                if text.strip():
                    yield {"role": "user", "content": text}
            case AssistantTurn():
                content = _replayed(item, conversation)
                if content:
                    yield {"role": "assistant", "content": content}
            case results:
                yield {"role": "user", "content": [_result(result, conversation) for result in results]}


def _replayed(turn: AssistantTurn, conversation: Conversation) -> Any:
    """The SDK's own blocks, calls under the ids that the conversation uses; if there are none, written by hand."""
    calls = [(fitting(call.id, USE_ID), replayable(call)) for call in turn.calls]
    message = kept(turn)
    if message is not None:
        own = message.content
        known = [(block.id, block.input) for block in own if block.type == "tool_use"]
        return own if known == calls else with_calls(own, *calls)
    names = _names(conversation)
    uses = [
        {"type": "tool_use", "id": call_id, "name": names.get(call.name, call.name), "input": arguments}
        for call, (call_id, arguments) in zip(turn.calls, calls, strict=True)
    ]
    said = spoken(turn)
    return [*([{"type": "text", "text": said}] if said else []), *uses]


def _result(result: ToolResult, conversation: Conversation) -> Json:
    block = {"type": "tool_result", "tool_use_id": fitting(result.call_id, USE_ID)}
    if result.is_error:
        return {**block, "content": result_text(result), "is_error": True}
    if conversation.profile == "native" and any(isinstance(part, ImagePart) for part in result.content):
        return {**block, "content": list(map(_part, result.content))}
    return {**block, "content": result_text(result)}


def _part(part: Part) -> Json:
    if isinstance(part, ImagePart) and part.media_type in IMAGES:
        data = base64.b64encode(part.data).decode()
        return {"type": "image", "source": {"type": "base64", "media_type": part.media_type, "data": data}}
    return {"type": "text", "text": part_text(part)}


# --- hearing ---------------------------------------------------------------------------------------------------------


def _turn(message: Message | EventMessage, conversation: Conversation) -> AssistantTurn:
    content: list[Any] = list(message.content)
    calls = [
        call_of(block.id, block.name, block.input, conversation)
        for block in content
        if block.type == "tool_use"
    ]
    usable = with_usable_ids(calls, conversation)
    details = getattr(message, "stop_details", None)  # since 0.84
    said = getattr(message, "said", None)
    return AssistantTurn(
        text="".join(block.text for block in content if block.type == "text") if said is None else said,
        calls=usable,
        stop=STOPS.get(message.stop_reason, "tool_calls" if calls else "end"),
        refusal=details.explanation if details is not None and details.type == "refusal" else None,
        usage=Usage(message.usage.input_tokens, message.usage.output_tokens),
        opaque=OwnMessage(message, usable),
        parsed=_parsed(content, conversation),
    )


def _parsed(content: list[Any], conversation: Conversation) -> Parsed | None:
    """What the SDK says that the text means. Blocks of its parsing methods and events say it."""
    told = [block.parsed_output for block in content if block.type == "text" and hasattr(block, "parsed_output")]
    return parsed(told[0]) if told and answer_type(conversation) is not None else None
