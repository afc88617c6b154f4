"""The openai SDK on Responses.

Streams go through the SDK's helper, ``client.responses.stream``, which holds every event against those before it. The
turn is taken from the finished items that come through it and from the last event, because the helper's own
``get_final_response`` gives up on every stream that does not end in ``response.completed``, also on
``response.incomplete``, and believes a last event whose ``output`` is empty.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import openai
from openai.types.responses import Response as SdkResponse

from conformance.adapters.capture import door
from conformance.adapters.endpoint import Endpoint
from conformance.adapters.libraries.answer_types import answer_type, parsed
from conformance.adapters.libraries.application import (
    OwnMessage,
    call_as_sent,
    fitting,
    function_schema,
    kept,
    names_in,
    replayable,
    reported,
    spoken,
    text_call_of,
    utterances,
    with_usable_ids,
)
from conformance.adapters.libraries.looping import run_to_end
from conformance.adapters.libraries.news import CallNews, TellingShim, text_news, thinking_news
from conformance.adapters.libraries.openai_kinds import (
    declared_kind,
    declared_server,
    is_kind_call,
    kind_call_item,
    kind_call_of,
    kind_id,
    kind_name,
    kind_output,
)
from conformance.adapters.libraries.sdk_clients import async_openai
from conformance.adapters.libraries.shim import LoopShim, WayDoors, everything, http_client
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
    ToolCall,
    ToolResult,
    Usage,
    UserTurn,
    compact_json,
    part_text,
    result_text,
)
from conformance.wires.errors import provider_error
from conformance.wires.naming import application_name

CALL_ID = ".{1,64}"
CALLS = ("function_call", "custom_tool_call")
"""The types of the items that are calls of the application's tools."""
CLOSED: Json = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
"""The parameters of a strict tool that takes none, as OpenAI's guide has an application write every strict schema."""


class OpenAIResponses(TellingShim, LoopShim):
    """``client.responses`` of ``openai.OpenAI``."""

    name = "openai-responses"
    distribution = "openai"
    homepage = "https://github.com/openai/openai-python"
    issues = "https://github.com/openai/openai-python/issues"
    providers = everything("openai-responses", own_words=True)

    def ask(self, provider: str, conversation: Conversation, endpoint: Endpoint, *, stream: bool) -> AssistantTurn:
        """One call of ``responses.create``, or of its streaming helper, or of what the way has instead."""
        doors = DOORS[self.way]
        made = async_openai if doors.on_a_loop else _client
        client = self.shared(endpoint, f"client of {made.__name__}", lambda: made(provider, endpoint))
        asked = _asked(conversation, by_type=self.way.endswith("parse"))
        if not stream:
            answer = doors.blocking(client, **asked)
            return _turn(answer.output, answer, conversation)
        given = doors.streamed(client, **asked)
        if isinstance(given, list):
            return _streamed(given, conversation)
        return _turn(given.output, given, conversation)

    async def ask_on_a_loop(self, provider: str, conversation: Conversation, endpoint: Endpoint) -> AssistantTurn:
        """The same streamed, by the asynchronous client."""
        client = self.shared(endpoint, "async client", lambda: async_openai(provider, endpoint))
        return _streamed(await all_events_on_a_loop(client, **_asked(conversation)), conversation)

    def told(self, provider: str, conversation: Conversation, endpoint: Endpoint) -> Iterator[News]:
        """What the events of a stream say."""
        calls = CallNews(conversation)
        for event in each_event(_client(provider, endpoint), **_asked(conversation)):
            match event.type:
                case "response.reasoning_summary_text.delta" | "response.reasoning_text.delta":
                    yield from thinking_news(event.delta)
                case "response.output_text.delta":
                    yield from text_news(event.delta)
                case "response.output_item.added" if is_kind_call(event.item):
                    yield from calls.begins(event.output_index, kind_name(event.item, conversation))
                case "response.output_item.added" if event.item.type in CALLS:
                    yield from calls.begins(event.output_index, event.item.name)
                case "response.function_call_arguments.delta" | "response.custom_tool_call_input.delta":
                    yield from calls.says(event.output_index, event.delta)
                case "response.output_item.done" if event.item.type in CALLS or is_kind_call(event.item):
                    yield from calls.ends(event.output_index)

    def broken_off(self, problem: Exception) -> bool:
        """What ``get_final_response`` raises about a stream that does not end in ``response.completed``."""
        return type(problem) is RuntimeError and "`response.completed`" in str(problem)

    def failure(self, problem: Exception) -> ProviderError | None:
        """HTTP errors are `openai.APIStatusError`. Failures inside streams are events."""
        if isinstance(problem, openai.APIStatusError):
            return reported(problem.status_code, problem.body, problem.response.headers)
        return None


def _client(provider: str, endpoint: Endpoint) -> openai.OpenAI:
    return openai_client(
        api_key=endpoint.api_key,
        base_url=endpoint.base_url,
        max_retries=0,
        http_client=http_client("openai", endpoint),
    )


# --- doors -----------------------------------------------------------------------------------------------------------

openai_client = door(openai.OpenAI)


@door
def create(client: Any, **asked: Any) -> Any:
    """A ``Response``."""
    return client.responses.create(**asked)


@door
def all_events(client: Any, **asked: Any) -> Any:
    """The events of a stream."""
    with client.responses.stream(**asked) as events:
        return list(events)


@door
def each_event(client: Any, **asked: Any) -> Any:
    """The events of a stream, as they come."""
    with client.responses.stream(**asked) as events:
        yield from events


@door
async def all_events_on_a_loop(client: Any, **asked: Any) -> Any:
    """The events of a stream, by an asynchronous client."""
    async with client.responses.stream(**asked) as events:
        return [event async for event in events]


@door
def create_async(client: Any, **asked: Any) -> Any:
    """A ``Response``, by an asynchronous client."""
    return run_to_end(client.responses.create(**asked))


@door
def all_events_async(client: Any, **asked: Any) -> Any:
    """The events of a stream, by an asynchronous client."""

    async def stream() -> Any:
        async with client.responses.stream(**asked) as events:
            return [event async for event in events]

    return run_to_end(stream())


@door
def parse(client: Any, **asked: Any) -> Any:
    """A ``ParsedResponse``."""
    return client.responses.parse(**asked)


@door
def final_response(client: Any, **asked: Any) -> Any:
    """The ``ParsedResponse`` that the SDK makes of a stream."""
    with client.responses.stream(**asked) as events:
        return events.get_final_response()


@door
def parse_async(client: Any, **asked: Any) -> Any:
    """A ``ParsedResponse``, by an asynchronous client."""
    return run_to_end(client.responses.parse(**asked))


@door
def final_response_async(client: Any, **asked: Any) -> Any:
    """The ``ParsedResponse`` that the SDK makes of a stream, by an asynchronous client."""

    async def stream() -> Any:
        async with client.responses.stream(**asked) as events:
            return await events.get_final_response()

    return run_to_end(stream())


@door
def create_raw(client: Any, **asked: Any) -> Any:
    """The ``Response`` in a raw response."""
    return client.responses.with_raw_response.create(**asked).parse()


@door
def created_events(client: Any, **asked: Any) -> Any:
    """The events of a stream, without the helper."""
    return list(client.responses.create(**asked, stream=True))


DOORS: Mapping[str, WayDoors] = {
    "": WayDoors(create, all_events),
    "async": WayDoors(create_async, all_events_async, on_a_loop=True),
    "parse": WayDoors(parse, final_response),
    "async-parse": WayDoors(parse_async, final_response_async, on_a_loop=True),
    "raw-response": WayDoors(create_raw, all_events),
    "create-stream": WayDoors(create, created_events),
}
"""The doors of each way."""


@door
def under_id(item: Any, call_id: str) -> Any:
    """The SDK's own item, with an id that the application gave."""
    item.call_id = call_id
    return item


# --- asking ----------------------------------------------------------------------------------------------------------


def _asked(conversation: Conversation, *, by_type: bool = False) -> dict[str, Any]:
    """The arguments of ``responses.create``, and of what parses and takes the ``by_type`` of an answer."""
    asked: dict[str, Any] = {
        "model": conversation.model,
        "input": list(_input(conversation)),
        "max_output_tokens": conversation.max_tokens,
    }
    if conversation.system is not None:
        asked["instructions"] = conversation.system
    if conversation.reasoning:
        asked |= {"reasoning": {"effort": "medium", "summary": "auto"}, "store": False}
        asked["include"] = ["reasoning.encrypted_content"]
    if conversation.output is not None and by_type and (known := answer_type(conversation)) is not None:
        asked["text_format"] = known
    elif conversation.output is not None:
        form = {"type": "json_schema", "name": "answer", "schema": conversation.output, "strict": True}
        asked["text"] = {"format": form}
    return asked | _tools(conversation) if conversation.tools else asked


def _tools(conversation: Conversation) -> dict[str, Any]:
    names, choice = names_in(conversation), conversation.choice
    asked: dict[str, Any] = {"tools": [_tool(tool, names[tool.name]) for tool in conversation.tools]}
    tool = conversation.tool(choice.name or "")
    if choice.mode == "tool" and tool is not None and not tool.described:
        asked["tool_choice"] = {"type": tool.builtin or tool.kind}
    elif choice.mode == "tool":
        kind = "custom" if conversation.takes_text(choice.name) else "function"
        asked["tool_choice"] = {"type": kind, "name": names[choice.name or ""]}
    elif choice.mode != "auto":
        asked["tool_choice"] = choice.mode
    if choice.parallel is not None:
        asked["parallel_tool_calls"] = choice.parallel
    return asked


def _tool(tool: Tool, name: str) -> Json:
    if tool.builtin is not None:
        return {"type": tool.builtin}
    if tool.server is not None:
        return declared_server(tool)
    if tool.kind is not None:
        return declared_kind(tool.kind)
    if tool.text is not None:
        custom: dict[str, Json] = {"type": "custom", "name": name, "description": tool.description}
        grammar = {"type": "grammar", "syntax": tool.text.syntax, "definition": tool.text.definition}
        return custom if tool.text.syntax is None else {**custom, "format": grammar}
    return {
        "type": "function",
        "name": name,
        "description": tool.description,
        "parameters": CLOSED if tool.strict and tool.parameters is None else function_schema(tool),
        "strict": tool.strict or False,
    }


def _input(conversation: Conversation) -> Iterator[Any]:
    for item in utterances(conversation):
        match item:
            case UserTurn(text):
                yield {"role": "user", "content": text}
            case AssistantTurn():
                yield from _replayed(item, conversation)
            case results:
                for result in results:
                    call_id = fitting(result.call_id, CALL_ID)
                    own = conversation.kind_of(result.name)
                    if own is not None:
                        yield kind_output(own, call_id, result, conversation)
                        continue
                    kind = CALLS[conversation.takes_text(result.name)]
                    yield {"type": f"{kind}_output", "call_id": call_id, "output": _output(result, conversation)}


def _replayed(turn: AssistantTurn, conversation: Conversation) -> Iterator[Any]:
    """The SDK's own items, calls under the ids that the conversation uses; if there are none, written by hand."""
    ids = iter([fitting(call.id, CALL_ID) for call in turn.calls])
    items = kept(turn)
    if items is not None:
        for item in _followed(items):
            call_id = next(ids) if item.type in CALLS or is_kind_call(item) else None
            yield item if call_id is None or call_id == kind_id(item) else under_id(item, call_id)
        return
    if said := spoken(turn):
        yield {"role": "assistant", "content": said}
    names = names_in(conversation)
    for call in turn.calls:
        own = conversation.kind_of(call.name)
        if own is not None:
            yield kind_call_item(own, next(ids), call)
            continue
        known = {"call_id": next(ids), "name": names.get(call.name, call.name)}
        if conversation.takes_text(call.name):
            yield {"type": "custom_tool_call", **known, "input": call.text_input}
        else:
            yield {"type": "function_call", **known, "arguments": compact_json(replayable(call))}


def _followed(items: list[Any]) -> list[Any]:
    """The items without the thinking at their end, which a limit cut: the API wants what followed."""
    last = max((place for place, item in enumerate(items) if item.type != "reasoning"), default=-1)
    return items[: last + 1]


def _output(result: ToolResult, conversation: Conversation) -> Json:
    if result.is_error:
        return compact_json({"error": result_text(result)})
    if conversation.profile == "native" and any(isinstance(part, ImagePart) for part in result.content):
        return list(map(_part, result.content))
    return result_text(result)


def _part(part: Part) -> Json:
    if isinstance(part, ImagePart):
        url = f"data:{part.media_type};base64,{base64.b64encode(part.data).decode()}"
        return {"type": "input_image", "detail": "auto", "image_url": url}
    return {"type": "input_text", "text": part_text(part)}


# --- hearing ---------------------------------------------------------------------------------------------------------


def _streamed(events: Iterable[Any], conversation: Conversation) -> AssistantTurn:
    items: dict[int, Any] = {}
    last: SdkResponse | None = None
    for event in events:
        if event.type == "response.output_item.done":
            items[event.output_index] = event.item
        elif event.type in ("response.completed", "response.incomplete", "response.failed"):
            last = event.response
        elif event.type == "error":
            return AssistantTurn(stop="error", error=reported(None, event.to_dict()))
    return _turn([items[index] for index in sorted(items)], last, conversation)


def _turn(output: list[Any], answer: SdkResponse | None, conversation: Conversation) -> AssistantTurn:
    if answer is not None and answer.error is not None:
        return AssistantTurn(stop="error", error=reported(None, answer.error.to_dict()))
    if answer is not None and answer.output:
        assert list(map(_plain, answer.output)) == list(map(_plain, output)), "the last event has other items"
    parts = [part for item in output if item.type == "message" for part in item.content]
    calls = [_call(item, conversation) for item in output if item.type in CALLS or is_kind_call(item)]
    usable = with_usable_ids(calls, conversation)
    refusal = "".join(part.refusal for part in parts if part.type == "refusal") or None
    usage = answer.usage if answer is not None else None
    return AssistantTurn(
        text="".join(part.text for part in parts if part.type == "output_text"),
        calls=usable,
        stop=_stop(answer, bool(calls), refusal),
        refusal=refusal,
        usage=Usage(usage.input_tokens, usage.output_tokens) if usage else None,
        error=provider_error(None, {}) if answer is not None and answer.status == "failed" else None,
        opaque=OwnMessage(output, usable),
        parsed=_parsed(parts, conversation),
    )


def _call(item: Any, conversation: Conversation) -> ToolCall:
    if is_kind_call(item):
        return kind_call_of(item, conversation)
    if item.type == "function_call" and item.status == "incomplete" and not item.arguments:
        return ToolCall(item.call_id, application_name(item.name, conversation), None, item.arguments, invalid=True)
    if item.type == "function_call":
        return call_as_sent(item.call_id, item.name, item.arguments, conversation)
    return text_call_of(item.call_id, item.name, item.input, conversation)


def _parsed(parts: list[Any], conversation: Conversation) -> Parsed | None:
    """What the SDK says that the text means. Only its parsing methods say it."""
    told = [part.parsed for part in parts if hasattr(part, "parsed")]
    return parsed(told[0]) if told and answer_type(conversation) is not None else None


def _plain(item: Any) -> Json:
    """An item as it was on the wire, without what the SDK's helper adds to it."""
    return item.model_dump(exclude_unset=True, warnings=False, exclude=getattr(item, "__api_exclude__", None))


def _stop(answer: SdkResponse | None, calls: bool, refusal: str | None) -> Stop:
    if answer is None:
        return "incomplete"
    if answer.status == "failed":  # its error may be null
        return "error"
    if answer.incomplete_details is not None:
        return "length" if answer.incomplete_details.reason == "max_output_tokens" else "refusal"
    return "tool_calls" if calls else "refusal" if refusal else "end"
