"""The openai SDK on Chat Completions: OpenAI, Azure, and three hosts of the same format under a base URL of their own.

Streams are accumulated by the SDK's ``ChatCompletionStreamState``, except Mistral's: their calls have no ``type``,
without which the accumulator asserts. They come whole, so there the chunks' own objects are taken as they are.
Chunks come from ``create(stream=True)``, as the accumulator's own documentation shows it, because
``client.chat.completions.stream`` takes only strict tools. The message is its ``current_completion_snapshot``, because
``get_final_completion`` raises when a limit or a filter ended the turn.
"""

from __future__ import annotations

import base64
import importlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import openai
from openai.types import CompletionUsage
from openai.types.chat import ChatCompletionMessage

from conformance.adapters.capture import door
from conformance.adapters.endpoint import Endpoint
from conformance.adapters.libraries.answer_types import answer_type, parsed
from conformance.adapters.libraries.application import (
    OwnMessage,
    Utterance,
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
from conformance.adapters.libraries.chat_format import FAILED, not_answered, said_text, stopped, taken_choices
from conformance.adapters.libraries.features import has
from conformance.adapters.libraries.looping import run_to_end
from conformance.adapters.libraries.news import TellingShim, chat_news
from conformance.adapters.libraries.openai_events import (
    by_ends,
    by_fragments,
    by_snapshots,
    fragment_news,
    snapshot_news,
)
from conformance.adapters.libraries.sdk_clients import async_openai
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
    ProviderError,
    Stop,
    TextInput,
    ToolCall,
    ToolResult,
    Usage,
    UserTurn,
    compact_json,
    result_text,
)

if has("openai.lib.streaming.chat:ChatCompletionStreamState"):
    from openai.lib.streaming.chat import ChatCompletionStreamState
elif has("openai.lib.streaming.chat._completions"):  # older releases have it in an inner module, without defaults
    _inner: Any = importlib.import_module("openai.lib.streaming.chat._completions")
    ChatCompletionStreamState: Any = partial(  # type: ignore[no-redef]
        _inner.ChatCompletionStreamState, input_tools=openai.NOT_GIVEN, response_format=openai.NOT_GIVEN
    )

CREATE = "openai.resources.chat.completions:Completions.create"
NEEDS = {
    "streaming": ("openai.lib.streaming.chat._completions:ChatCompletionStreamState", f"{CREATE}(stream_options)"),
    "parallel_switch": (f"{CREATE}(parallel_tool_calls)",),
    "output_schema": ("openai.resources.chat.completions:Completions.parse",),
}
"""What only newer releases have."""

API_VERSION = "2024-10-21"
"""Azure's, the last one that is generally available with a date."""
IDS = {"mistral": "[a-zA-Z0-9]{9}"}
STOPS: dict[Any, Stop] = {"length": "length", "model_length": "length", "content_filter": "refusal"}


class OpenAIChat(TellingShim, LoopShim):
    """``client.chat.completions`` of ``openai.OpenAI`` and ``openai.AzureOpenAI``."""

    name = "openai"
    distribution = "openai"
    homepage = "https://github.com/openai/openai-python"
    issues = "https://github.com/openai/openai-python/issues"
    providers = with_whole_messages(
        everything("openai-chat", "azure", "xai", "deepseek", "mistral", own_words=True), "openai-chat"
    )
    needs = NEEDS

    def ask(self, provider: str, conversation: Conversation, endpoint: Endpoint, *, stream: bool) -> AssistantTurn:
        """One call of ``chat.completions.create``, or of what the way has instead."""
        doors = DOORS[self.way]
        made = async_openai if doors.on_a_loop else _client
        client = self.shared(endpoint, f"client of {made.__name__}", lambda: made(provider, endpoint))
        asked = _asked(provider, conversation, stream=stream, by_type="parse" in self.way)
        if stream and provider == "mistral":
            return _turn(*_whole_deltas(all_chunks(client, **asked)), conversation)
        answer = doors.message(doors.streamed(client, **asked)) if stream else doors.blocking(client, **asked)
        turn = _heard(answer, conversation, stream=stream, parses=self.way in PARSING)
        if stream and provider == "openai-chat":
            turn = replace(turn, message=own_form(answer))
        return replace(turn, parsed=_parsed(answer, conversation)) if "parse" in self.way else turn

    async def ask_on_a_loop(self, provider: str, conversation: Conversation, endpoint: Endpoint) -> AssistantTurn:
        """The same streamed, by the asynchronous client."""
        client = self.shared(endpoint, "async client", lambda: async_openai(provider, endpoint))
        asked = _asked(provider, conversation, stream=True)
        if provider == "mistral":
            return _turn(*_whole_deltas(await all_chunks_on_a_loop(client, **asked)), conversation)
        answer = await accumulated_on_a_loop(client, **asked)
        turn = _heard(answer, conversation, stream=True)
        return replace(turn, message=own_form(answer)) if provider == "openai-chat" else turn

    def told(self, provider: str, conversation: Conversation, endpoint: Endpoint) -> Iterator[News]:
        """What the chunks of a stream say."""
        told, read = NEWS.get(self.way, (each_chunk, chat_news))
        return read(told(_client(provider, endpoint), **_asked(provider, conversation, stream=True)), conversation)

    def failure(self, problem: Exception) -> ProviderError | None:
        """HTTP errors are `openai.APIStatusError`, errors inside streams `openai.APIError`."""
        if isinstance(problem, openai.APIStatusError):
            return reported(problem.status_code, _body(problem), problem.response.headers)
        return reported(None, problem.body) if type(problem) is openai.APIError else None


def _body(problem: openai.APIStatusError) -> Json:
    """The body of an error. The exception's own ``body`` holds what is in ``error``, at some hosts only a text."""
    try:
        return problem.response.json()
    except ValueError:
        return problem.response.text


def _client(provider: str, endpoint: Endpoint) -> openai.OpenAI:
    shared: Any = {"api_key": endpoint.api_key, "max_retries": 0, "http_client": http_client("openai", endpoint)}
    if provider == "azure":
        return azure_client(azure_endpoint=endpoint.base_url, api_version=API_VERSION, **shared)
    return openai_client(base_url=endpoint.base_url, **shared)


# --- doors -----------------------------------------------------------------------------------------------------------

openai_client = door(openai.OpenAI)
azure_client = door(openai.AzureOpenAI)


@door
def create(client: Any, **asked: Any) -> Any:
    """A ``ChatCompletion``."""
    return client.chat.completions.create(**asked)


@door
def all_chunks(client: Any, **asked: Any) -> Any:
    """The chunks of a stream."""
    return list(client.chat.completions.create(**asked, stream=True))


@door
def each_chunk(client: Any, **asked: Any) -> Any:
    """The chunks of a stream, as they come."""
    with client.chat.completions.create(**asked, stream=True) as chunks:
        yield from chunks


@door
async def all_chunks_on_a_loop(client: Any, **asked: Any) -> Any:
    """The chunks of a stream, by an asynchronous client."""
    return [chunk async for chunk in await client.chat.completions.create(**asked, stream=True)]


@door
async def accumulated_on_a_loop(client: Any, **asked: Any) -> Any:
    """What the SDK's accumulator makes of a stream, by an asynchronous client."""
    state = ChatCompletionStreamState()
    async for chunk in await client.chat.completions.create(**asked, stream=True):
        state.handle_chunk(chunk)
    return state.current_completion_snapshot


@door
def accumulated(client: Any, **asked: Any) -> Any:
    """What the SDK's accumulator makes of a stream."""
    state = ChatCompletionStreamState()
    for chunk in client.chat.completions.create(**asked, stream=True):
        state.handle_chunk(chunk)
    return state.current_completion_snapshot


@door
def create_async(client: Any, **asked: Any) -> Any:
    """A ``ChatCompletion``, by an asynchronous client."""
    return run_to_end(client.chat.completions.create(**asked))


@door
def accumulated_async(client: Any, **asked: Any) -> Any:
    """What the SDK's accumulator makes of a stream, by an asynchronous client."""

    async def stream() -> Any:
        state = ChatCompletionStreamState()
        async for chunk in await client.chat.completions.create(**asked, stream=True):
            state.handle_chunk(chunk)
        return state.current_completion_snapshot

    return run_to_end(stream())


@door
def parse(client: Any, **asked: Any) -> Any:
    """A ``ParsedChatCompletion``."""
    return client.chat.completions.parse(**asked)


@door
def final_completion(client: Any, **asked: Any) -> Any:
    """The ``ParsedChatCompletion`` that the SDK makes of a stream."""
    with client.chat.completions.stream(**asked) as events:
        return events.get_final_completion()


@door
def parse_async(client: Any, **asked: Any) -> Any:
    """A ``ParsedChatCompletion``, by an asynchronous client."""
    return run_to_end(client.chat.completions.parse(**asked))


@door
def final_completion_async(client: Any, **asked: Any) -> Any:
    """The ``ParsedChatCompletion`` that the SDK makes of a stream, by an asynchronous client."""

    async def stream() -> Any:
        async with client.chat.completions.stream(**asked) as events:
            return await events.get_final_completion()

    return run_to_end(stream())


@door
def all_events(client: Any, **asked: Any) -> Any:
    """The events of the SDK's accumulator, and what it makes of the stream."""
    state = ChatCompletionStreamState(input_tools=asked.get("tools", ()))
    chunks = client.chat.completions.create(**asked, stream=True)
    events = [event for chunk in chunks for event in state.handle_chunk(chunk)]
    return events, state.current_completion_snapshot


@door
def each_event(client: Any, **asked: Any) -> Any:
    """The events of the SDK's accumulator, as they come."""
    state = ChatCompletionStreamState(input_tools=asked.get("tools", ()))
    with client.chat.completions.create(**asked, stream=True) as chunks:
        for chunk in chunks:
            yield from state.handle_chunk(chunk)


@door
def all_parsed_events(client: Any, **asked: Any) -> Any:
    """The events of a stream, and what the SDK makes of it."""
    with client.chat.completions.stream(**asked) as events:
        return list(events), events.current_completion_snapshot


@door
def each_parsed_event(client: Any, **asked: Any) -> Any:
    """The events of a stream, as they come."""
    with client.chat.completions.stream(**asked) as events:
        yield from events


@door
def all_parsed_events_async(client: Any, **asked: Any) -> Any:
    """The events of a stream, and what the SDK makes of it, by an asynchronous client."""

    async def stream() -> Any:
        async with client.chat.completions.stream(**asked) as events:
            return [event async for event in events], events.current_completion_snapshot

    return run_to_end(stream())


@door
def create_raw(client: Any, **asked: Any) -> Any:
    """The ``ChatCompletion`` in a raw response."""
    return client.chat.completions.with_raw_response.create(**asked).parse()


DOORS: Mapping[str, WayDoors] = {
    "": WayDoors(create, accumulated),
    "async": WayDoors(create_async, accumulated_async, on_a_loop=True),
    "parse": WayDoors(parse, final_completion),
    "async-parse": WayDoors(parse_async, final_completion_async, on_a_loop=True),
    "raw-response": WayDoors(create_raw, accumulated),
    "events": WayDoors(create, all_events, message=by_fragments),
    "snapshots": WayDoors(create, all_events, message=by_snapshots),
    "ends": WayDoors(create, all_events, message=by_ends),
    "parse-events": WayDoors(parse, all_parsed_events, message=by_fragments),
    "parse-ends": WayDoors(parse, all_parsed_events, message=by_ends),
    "async-parse-events": WayDoors(parse_async, all_parsed_events_async, on_a_loop=True, message=by_fragments),
}
"""The doors of each way."""

PARSING = ("parse", "async-parse", "events", "snapshots", "ends", "parse-events", "parse-ends", "async-parse-events")
"""The ways by which the SDK parses the arguments of strict tools."""

NEWS: Mapping[str, tuple[Callable[..., Any], Callable[[Any, Conversation], Iterator[News]]]] = {
    "events": (each_event, fragment_news),
    "snapshots": (each_event, snapshot_news),
    "parse-events": (each_parsed_event, fragment_news),
    "parse-ends": (each_parsed_event, snapshot_news),
}
"""Where events tell the news: the door that hands them out, and who reads them. Else chunks do."""


@door
def under_ids(message: Any, *ids: str) -> Any:
    """The SDK's own message, with ids that the application gave."""
    for call, call_id in zip(message.tool_calls, ids, strict=True):
        call.id = call_id
    return message


# --- asking ----------------------------------------------------------------------------------------------------------


def _asked(
    provider: str, conversation: Conversation, *, stream: bool, by_type: bool = False
) -> dict[str, Any]:
    """The arguments of ``chat.completions.create``, and of what parses and takes the ``by_type`` of an answer."""
    newer = provider in ("openai-chat", "xai") and has(f"{CREATE}(max_completion_tokens)")
    limit = "max_completion_tokens" if newer else "max_tokens"
    asked: dict[str, Any] = {
        "model": conversation.model,
        "messages": list(_messages(provider, conversation)),
        limit: conversation.max_tokens,
    }
    if conversation.tools:
        asked |= _tools(conversation)
    if provider == "deepseek":
        thinks = conversation.reasoning and conversation.choice.mode in ("auto", "none")
        asked["extra_body"] = {"thinking": {"type": "enabled" if thinks else "disabled"}}
    if stream and provider != "mistral":
        asked["stream_options"] = {"include_usage": True}
    if conversation.output is not None:
        asked["response_format"] = answer_type(conversation) if by_type else None
        asked["response_format"] = asked["response_format"] or _form(conversation.output)
    return asked


def _form(schema: Mapping[str, Json]) -> Json:
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema, "strict": True}}


def _tools(conversation: Conversation) -> dict[str, Any]:
    names, choice = names_in(conversation), conversation.choice
    tools = []
    for tool in conversation.tools:
        if tool.text is not None:
            tools.append({"type": "custom", "custom": _custom(tool.text, names[tool.name], tool.description)})
            continue
        function = {"name": names[tool.name], "description": tool.description, "parameters": function_schema(tool)}
        strict = {} if tool.strict is None else {"strict": tool.strict}
        tools.append({"type": "function", "function": {**function, **strict}})
    asked: dict[str, Any] = {"tools": tools}
    if choice.mode == "tool":
        kind = "custom" if conversation.takes_text(choice.name) else "function"
        asked["tool_choice"] = {"type": kind, kind: {"name": names[choice.name or ""]}}
    elif choice.mode != "auto":
        asked["tool_choice"] = choice.mode
    if choice.parallel is not None:
        asked["parallel_tool_calls"] = choice.parallel
    return asked


def _custom(text: TextInput, name: str, description: str) -> dict[str, Json]:
    custom: dict[str, Json] = {"name": name, "description": description}
    grammar = {"syntax": text.syntax, "definition": text.definition}
    return custom if text.syntax is None else {**custom, "format": {"type": "grammar", "grammar": grammar}}


def _messages(provider: str, conversation: Conversation) -> Iterator[Any]:
    if conversation.system is not None:
        yield {"role": "system", "content": conversation.system}
    pattern = IDS.get(provider, ".{1,64}")
    before: Utterance | None = None
    for item in utterances(conversation):
        match item:
            case UserTurn(text):
                if provider == "mistral" and isinstance(before, tuple):
                    yield {"role": "assistant", "content": "OK"}  # it wants to hear itself before the user goes on
                yield {"role": "user", "content": text}
            case AssistantTurn():
                yield _replayed(item, pattern, conversation)
            case results:
                yield from ({**_result(result), "tool_call_id": fitting(result.call_id, pattern)} for result in results)
                images = [part for result in results for part in result.content if isinstance(part, ImagePart)]
                if images and conversation.profile == "native" and provider not in ("deepseek", "mistral"):
                    yield {"role": "user", "content": list(map(_image, images))}
        before = item


def _replayed(turn: AssistantTurn, pattern: str, conversation: Conversation) -> Any:
    """The SDK's own message, its calls under the ids that the conversation uses; written by hand if there is none."""
    ids = [fitting(call.id, pattern) for call in turn.calls]
    own = kept(turn)
    if own is not None:
        return own if [call.id for call in own.tool_calls or []] == ids else under_ids(own, *ids)
    names = names_in(conversation)
    calls = [
        {"id": call_id, **_said(call, names.get(call.name, call.name), text=conversation.takes_text(call.name))}
        for call_id, call in zip(ids, turn.calls, strict=True)
    ]
    return {"role": "assistant", "content": spoken(turn), **({"tool_calls": calls} if calls else {})}


def _said(call: ToolCall, name: str, *, text: bool) -> dict[str, Json]:
    if text:
        return {"type": "custom", "custom": {"name": name, "input": call.text_input}}
    return {"type": "function", "function": {"name": name, "arguments": compact_json(replayable(call))}}


def _result(result: ToolResult) -> dict[str, Json]:
    text = result_text(result)
    return {"role": "tool", "content": compact_json({"error": text}) if result.is_error else text}


def _image(image: ImagePart) -> Json:
    url = f"data:{image.media_type};base64,{base64.b64encode(image.data).decode()}"
    return {"type": "image_url", "image_url": {"url": url}}


# --- hearing ---------------------------------------------------------------------------------------------------------

CompletionAnswer = tuple[ChatCompletionMessage, str | None, CompletionUsage | None]


def _whole_deltas(chunks: Iterable[Any]) -> CompletionAnswer:
    """The chunks put together by hand: text bit by bit, calls whole."""
    text, calls, finish, usage = "", [], None, None
    for chunk in chunks:
        usage = chunk.usage or usage
        for choice in taken_choices(chunk):
            text += said_text(choice.delta.content)
            calls += [call.to_dict() for call in choice.delta.tool_calls or []]
            finish = choice.finish_reason or finish
    message: Any = {"role": "assistant", "content": text, **({"tool_calls": calls} if calls else {})}
    return ChatCompletionMessage.construct(**message), finish, usage


def _heard(answer: Any, conversation: Conversation, *, stream: bool, parses: bool = False) -> AssistantTurn:
    """What a completion says. A stream that gives no reason to end has no end."""
    choices = taken_choices(answer)
    if not choices:
        return AssistantTurn(stop="error", error=not_answered(answer))
    finish = choices[0].finish_reason if stream else choices[0].finish_reason or "stop"
    return _turn(choices[0].message, finish, answer.usage, conversation, parses=parses)


def _turn(
    message: ChatCompletionMessage,
    finish: str | None,
    usage: CompletionUsage | None,
    conversation: Conversation,
    *,
    parses: bool = False,
) -> AssistantTurn:
    """``parses``: where the SDK says what the arguments of strict tools mean, that is what counts."""
    strict = {tool.name for tool in conversation.tools if tool.strict} if parses else set[str]()
    calls = [
        _function_call(call, conversation, strict)
        if call.type != "custom"
        else _text_call(call.id, call.custom, conversation)
        for call in message.tool_calls or []
    ]
    legacy = message.function_call
    if legacy is not None:
        calls = [call_as_sent(None, legacy.name, legacy.arguments, conversation)]
    if finish in FAILED:
        return AssistantTurn(stop="error", text=said_text(message.content), error=stopped(finish))
    usable = with_usable_ids(calls, conversation)
    stop: Stop = STOPS.get(finish, "tool_calls" if calls else "refusal" if message.refusal else "end")
    return AssistantTurn(
        text=said_text(message.content),
        calls=usable,
        stop=stop if finish else "incomplete",
        refusal=message.refusal,
        usage=Usage(usage.prompt_tokens, usage.completion_tokens) if usage else None,
        opaque=OwnMessage(message, usable) if legacy is None else None,  # from here on it is a tool call like others
    )


def _parsed(answer: Any, conversation: Conversation) -> Parsed | None:
    """What the SDK's parsing methods say that the text means."""
    choices = taken_choices(answer)
    return parsed(choices[0].message.parsed) if choices and answer_type(conversation) is not None else None


def _function_call(call: Any, conversation: Conversation, strict: Collection[str]) -> ToolCall:
    """A call of a function, with what the SDK says that its arguments mean where the tool is among ``strict``."""
    made = call_as_sent(call.id, call.function.name, call.function.arguments, conversation)
    return replace(made, arguments=call.function.parsed_arguments or {}) if made.name in strict else made


def _text_call(call_id: str, custom: Any, conversation: Conversation) -> ToolCall:
    """A call of a custom tool. Streams bring it as a plain dictionary, because the SDK's types of chunks have functions
    alone (https://github.com/openai/openai-python/issues/2530)."""
    said = custom if isinstance(custom, dict) else custom.to_dict()
    return text_call_of(call_id, said["name"], said["input"], conversation)
