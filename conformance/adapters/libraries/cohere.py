"""The cohere SDK on ``/v2/chat``: ``cohere.ClientV2``. Streams are events, put together by hand.

The SDK has nothing to put them together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import cohere
from cohere.core.api_error import ApiError

from conformance.adapters.capture import door
from conformance.adapters.endpoint import Endpoint
from conformance.adapters.libraries.application import (
    OwnMessage,
    call_as_sent,
    function_schema,
    kept,
    names_in,
    replayable,
    reported,
    spoken,
    utterances,
    with_usable_ids,
)
from conformance.adapters.libraries.chat_format import stopped
from conformance.adapters.libraries.features import has
from conformance.adapters.libraries.looping import run_to_end
from conformance.adapters.libraries.news import CallNews, TellingShim, text_news, thinking_news
from conformance.adapters.libraries.sdk_clients import async_http_client
from conformance.adapters.libraries.shim import LoopShim, WayDoors, everything, http_client
from conformance.model import (
    AssistantTurn,
    Conversation,
    News,
    ProviderError,
    Stop,
    ToolResult,
    Usage,
    UserTurn,
    compact_json,
    result_text,
)

RETRIES = "cohere:ClientV2(max_retries)"
"""Older releases have no such setting, and try once (``request_options`` of a call may ask them for more)."""
NEEDS = {"reasoning": ("cohere:ClientV2.chat(thinking)", "cohere:ThinkingAssistantMessageResponseContentItem")}
"""What only newer releases have."""
STOPS: dict[Any, Stop] = {"MAX_TOKENS": "length", "ERROR": "error", "TIMEOUT": "error"}


class Cohere(TellingShim, LoopShim):
    """``chat`` and ``chat_stream`` of ``cohere.ClientV2``."""

    name = "cohere"
    distribution = "cohere"
    homepage = "https://github.com/cohere-ai/cohere-python"
    issues = "https://github.com/cohere-ai/cohere-python/issues"
    providers = everything("cohere")
    needs = NEEDS

    def ask(self, provider: str, conversation: Conversation, endpoint: Endpoint, *, stream: bool) -> AssistantTurn:
        """One call of ``chat`` or ``chat_stream``, by the way's client."""
        doors = DOORS[self.way]
        made = partial(_client, endpoint, on_a_loop=doors.on_a_loop)
        client = self.shared(endpoint, f"client on a loop: {doors.on_a_loop}", made)
        asked = _asked(conversation)
        if stream:
            return _turn(*_accumulated(doors.streamed(client, **asked)), conversation)
        answer = doors.blocking(client, **asked)
        return _turn(answer.message, answer.finish_reason, answer.usage, None, conversation)

    async def ask_on_a_loop(self, provider: str, conversation: Conversation, endpoint: Endpoint) -> AssistantTurn:
        """The same streamed, by the asynchronous client."""
        client = self.shared(endpoint, "async client", lambda: _client(endpoint, on_a_loop=True))
        return _turn(*_accumulated(await all_events_on_a_loop(client, **_asked(conversation))), conversation)

    def told(self, provider: str, conversation: Conversation, endpoint: Endpoint) -> Iterator[News]:
        """What the events of a stream say."""
        calls = CallNews(conversation)
        for event in each_event(_client(endpoint), **_asked(conversation)):
            match event.type:
                case "tool-plan-delta":
                    yield from text_news(event.delta.message.tool_plan)
                case "content-start" | "content-delta":
                    yield from thinking_news(getattr(event.delta.message.content, "thinking", None))
                    yield from text_news(event.delta.message.content.text)
                case "tool-call-start":
                    yield from calls.begins(event.index, event.delta.message.tool_calls.function.name)
                    yield from calls.says(event.index, event.delta.message.tool_calls.function.arguments)
                case "tool-call-delta":
                    yield from calls.says(event.index, event.delta.message.tool_calls.function.arguments)
                case "tool-call-end":
                    yield from calls.ends(event.index)

    def failure(self, problem: Exception) -> ProviderError | None:
        """HTTP errors are `cohere.core.api_error.ApiError`."""
        if not isinstance(problem, ApiError):
            return None
        headers = getattr(problem, "headers", None)  # older releases do not have them
        return reported(problem.status_code, problem.body, headers)


def _client(endpoint: Endpoint, *, on_a_loop: bool = False) -> Any:
    once: dict[str, Any] = {"max_retries": 0} if has(RETRIES) else {}
    return (async_client if on_a_loop else cohere_client)(
        endpoint.api_key,
        base_url=endpoint.base_url,
        **once,
        httpx_client=(async_http_client if on_a_loop else http_client)("cohere", endpoint),
        log_warning_experimental_features=False,
    )


# --- doors -----------------------------------------------------------------------------------------------------------

cohere_client = door(cohere.ClientV2)
async_client = door(cohere.AsyncClientV2)


@door
def chat(client: Any, **asked: Any) -> Any:
    """A ``V2ChatResponse``."""
    return client.chat(**asked)


@door
def all_events(client: Any, **asked: Any) -> Any:
    """The events of a stream."""
    return list(client.chat_stream(**asked))


@door
def each_event(client: Any, **asked: Any) -> Any:
    """The events of a stream, as they come."""
    yield from client.chat_stream(**asked)


@door
async def all_events_on_a_loop(client: Any, **asked: Any) -> Any:
    """The events of a stream, by an asynchronous client."""
    return [event async for event in client.chat_stream(**asked)]


@door
def chat_async(client: Any, **asked: Any) -> Any:
    """A ``V2ChatResponse``, by an asynchronous client."""

    async def ask() -> Any:
        return await client.chat(**asked)

    return run_to_end(ask())


@door
def all_events_async(client: Any, **asked: Any) -> Any:
    """The events of a stream, by an asynchronous client."""

    async def stream() -> Any:
        return [event async for event in client.chat_stream(**asked)]

    return run_to_end(stream())


@door
def chat_raw(client: Any, **asked: Any) -> Any:
    """The ``V2ChatResponse`` in a raw response."""
    return client.with_raw_response.chat(**asked).data


@door
def all_events_raw(client: Any, **asked: Any) -> Any:
    """The events of a stream in a raw response."""
    with client.with_raw_response.chat_stream(**asked) as response:
        return list(response.data)


@door
def chat_raw_async(client: Any, **asked: Any) -> Any:
    """The ``V2ChatResponse`` in a raw response, by an asynchronous client."""
    return run_to_end(client.with_raw_response.chat(**asked)).data


@door
def all_events_raw_async(client: Any, **asked: Any) -> Any:
    """The events of a stream in a raw response, by an asynchronous client."""

    async def stream() -> Any:
        async with client.with_raw_response.chat_stream(**asked) as response:
            return [event async for event in response.data]

    return run_to_end(stream())


DOORS: Mapping[str, WayDoors] = {
    "": WayDoors(chat, all_events),
    "async": WayDoors(chat_async, all_events_async, on_a_loop=True),
    "raw-response": WayDoors(chat_raw, all_events_raw),
    "async-raw-response": WayDoors(chat_raw_async, all_events_raw_async, on_a_loop=True),
}
"""The doors of each way."""


@door
def under_ids(message: Any, *ids: str) -> Any:
    """The SDK's own message, with ids that the application gave."""
    for call, call_id in zip(message.tool_calls, ids, strict=True):
        call.id = call_id
    return message


# --- asking ----------------------------------------------------------------------------------------------------------


def _asked(conversation: Conversation) -> dict[str, Any]:
    """The arguments of ``chat``."""
    asked: dict[str, Any] = {
        "model": conversation.model,
        "messages": list(_messages(conversation)),
        "max_tokens": conversation.max_tokens,
    }
    if conversation.tools:
        names = names_in(conversation)
        asked["tools"] = [
            {
                "type": "function",
                "function": {
                    "name": names[tool.name],
                    "description": tool.description,
                    "parameters": function_schema(tool),
                },
            }
            for tool in conversation.tools
        ]
        if conversation.choice.mode != "auto":
            asked["tool_choice"] = "NONE" if conversation.choice.mode == "none" else "REQUIRED"
        if any(tool.strict for tool in conversation.tools):
            asked["strict_tools"] = True
    if conversation.reasoning:
        asked["thinking"] = {"type": "enabled"}
    return asked


def _messages(conversation: Conversation) -> Iterator[Any]:
    names = names_in(conversation)
    if conversation.system is not None:
        yield {"role": "system", "content": conversation.system}
    for item in utterances(conversation):
        match item:
            case UserTurn(text):
                yield {"role": "user", "content": text}
            case AssistantTurn():
                yield _replayed(item, names)
            case results:
                yield from map(_result, results)


def _replayed(turn: AssistantTurn, names: dict[str, str]) -> Any:
    """The SDK's own message, its calls under the ids that the conversation uses; written by hand if there is none."""
    own = kept(turn)
    if own is not None:
        ids = [call.id for call in turn.calls]
        return own if [call.id for call in own.tool_calls or []] == ids else under_ids(own, *ids)
    if not turn.calls:
        return {"role": "assistant", "content": spoken(turn)}
    calls = [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": names.get(call.name, call.name), "arguments": compact_json(replayable(call))},
        }
        for call in turn.calls
    ]
    said = spoken(turn)
    return {"role": "assistant", "tool_calls": calls, **({"tool_plan": said} if said else {})}


def _result(result: ToolResult) -> Any:
    text = result_text(result)
    content = compact_json({"error": text}) if result.is_error else text
    return {"role": "tool", "tool_call_id": result.call_id, "content": content}


# --- hearing ---------------------------------------------------------------------------------------------------------

CohereAnswer = tuple[cohere.AssistantMessageResponse, Any, Any, str | None]


def _accumulated(events: Iterable[Any]) -> CohereAnswer:
    """What the events of a stream amount to: the message, why it ended, what it cost, and what failed."""
    plan, finish, usage, error = "", None, None, None
    blocks: list[dict[str, Any]] = []
    calls: dict[int, Any] = {}
    arguments: dict[int, str] = {}
    for event in events:
        match event.type:
            case "tool-plan-delta":
                plan += event.delta.message.tool_plan
            case "content-start":
                begun = event.delta.message.content  # what it says may come whole; indexes may all be 0
                kind = begun.type or next((name for name in _CONTENT if getattr(begun, name, None)), "text")
                blocks.append({"type": kind, kind: getattr(begun, kind, None) or ""})
            case "content-delta":
                piece, block = event.delta.message.content, blocks[-1]
                kind = block["type"]
                block[kind] = block.get(kind, "") + (getattr(piece, kind) or "")
            case "tool-call-start":
                calls[event.index] = event.delta.message.tool_calls
                arguments[event.index] = calls[event.index].function.arguments or ""
            case "tool-call-delta":
                arguments[event.index] += event.delta.message.tool_calls.function.arguments
            case "message-end":
                finish, usage = event.delta.finish_reason, event.delta.usage
                error = getattr(event.delta, "error", None)  # older releases do not declare it
    content = [_content(block["type"], block.get(block["type"], "")) for block in blocks]
    whole = [_with_arguments(calls[index], text) for index, text in arguments.items()]
    heard: dict[str, Any] = {"content": content, "tool_plan": plan, "tool_calls": whole}
    message = cohere.AssistantMessageResponse(**{name: value for name, value in heard.items() if value})
    return message, finish, usage, error


def _with_arguments(call: cohere.ToolCallV2, arguments: str) -> cohere.ToolCallV2:
    function = cohere.ToolCallV2Function(name=call.function.name, arguments=arguments) if call.function else None
    return cohere.ToolCallV2(id=call.id, type=call.type, function=function)


def _content(kind: str, said: str) -> Any:
    return getattr(cohere, _CONTENT[kind])(**{kind: said})


_CONTENT: Mapping[str, str] = {
    "text": "TextAssistantMessageResponseContentItem",
    "thinking": "ThinkingAssistantMessageResponseContentItem",
}
"""The SDK's types of content by name: older releases lack the second."""


def _turn(
    message: cohere.AssistantMessageResponse, finish: Any, usage: Any, error: str | None, conversation: Conversation
) -> AssistantTurn:
    calls = [
        call_as_sent(call.id, call.function.name or "", call.function.arguments, conversation)
        for call in message.tool_calls or []
        if call.function is not None
    ]
    usable = with_usable_ids(calls, conversation)
    text = "".join(block.text for block in message.content or [] if block.type == "text")
    counts = usage.tokens if usage is not None else None
    stop: Stop = STOPS.get(finish, "tool_calls" if calls else "end") if finish else "incomplete"
    return AssistantTurn(
        text=(message.tool_plan or "") + text,
        calls=usable,
        stop=stop,
        usage=Usage(int(counts.input_tokens), int(counts.output_tokens)) if counts is not None else None,
        error=reported(None, error) if error else stopped(finish) if stop == "error" else None,
        opaque=OwnMessage(message, usable),
    )
