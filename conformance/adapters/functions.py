"""The smaller door: an adapter from the functions that most projects already have.

`from_functions` takes the two-function contract of the first seed document, ``parse_tool_calls`` and
``build_tool_results``, and optionally ``convert_tools``, ``read_stream`` and ``tell_stream``, for one provider or for
several. The harness does the rest, the way the provider documents it, so only what the functions do is judged.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from conformance.adapters.contract import AdapterError, AdapterInfo
from conformance.hints import nearest
from conformance.http import FramingError, Request, Response, StreamEvent
from conformance.model import (
    AssistantTurn,
    Conversation,
    Json,
    News,
    ResultsTurn,
    Tool,
    ToolCall,
    ToolResult,
    Turn,
    result_text,
)
from conformance.wires import PROVIDERS, card, wire
from conformance.wires.facts import items, obj

ConvertTools = Callable[[list[dict[str, Json]]], Json]
"""From ``[{name, description, parameters}]`` to the value of the request's ``tools``."""
ParseToolCalls = Callable[[Json], Iterable[Any]]
"""From a response's body to its calls: `ToolCall`, or objects with ``id``, ``name``, ``argumentsJson`` or ``input``."""
BuildToolResults = Callable[[list[dict[str, Json]], list[dict[str, Json]]], Json]
"""From calls and ``[{id, name, outputText, isError}]`` to the message, or messages, that carry the results."""
ReadStream = Callable[[list[Json]], Any]
"""From a stream's events, decoded, to the turn: an `AssistantTurn`, or an object with ``text`` and ``calls``."""
TellStream = Callable[[Iterator[Json]], Iterable[Any]]
"""From a stream's events, one by one, to its news: `News`, or objects with ``kind``, ``text`` and ``call``."""

CAPABILITIES = frozenset({"blocking", "parallel_calls", "json_results", "error_results"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Functions:
    """An application's functions for one provider: see `from_functions`."""

    parse_tool_calls: ParseToolCalls
    build_tool_results: BuildToolResults
    convert_tools: ConvertTools | None = None
    read_stream: ReadStream | None = None
    tell_stream: TellStream | None = None


def from_functions(
    *,
    provider: str | None = None,
    parse_tool_calls: ParseToolCalls | None = None,
    build_tool_results: BuildToolResults | None = None,
    convert_tools: ConvertTools | None = None,
    read_stream: ReadStream | None = None,
    tell_stream: TellStream | None = None,
    providers: Mapping[str, Functions] | None = None,
    name: str = "functions",
    version: str = "0",
    capabilities: Iterable[str] = CAPABILITIES,
    homepage: str | None = None,
    issues: str | None = None,
) -> FunctionsAdapter:
    """An adapter for ``provider`` from two to five functions; or, with ``providers``, for several.

    ``parse_tool_calls(body)`` gets the decoded body of a response and returns its calls. ``build_tool_results(calls,
    outputs)`` gets what the former returned, as objects with ``id``, ``name``, ``input`` and ``argumentsJson``, and the
    outputs, in the order in which the tools finished; it returns what is to be added to the conversation.
    ``convert_tools(tools)`` returns the request's ``tools``; without it the provider's documented form is sent.
    ``read_stream(events)`` gets the decoded events of a stream, however its bytes were cut, and returns the turn: an
    `AssistantTurn`, or an object with ``text`` and ``calls``; what it does not tell is read as the provider documents
    it. Who gives it declares ``streaming`` there. ``tell_stream(events)`` gets the events one by one, as they come, and
    yields news: `News`, or objects with ``kind``, ``text`` and ``call``. If it tells no ``end``, the harness does.

    Raises `AdapterError` for an unknown provider or capability, and for functions that are missing: ``tell_stream``
    needs ``read_stream``, and is given for every provider or for none.
    """
    given = dict(providers or {})
    if provider is not None:
        if parse_tool_calls is None or build_tool_results is None:
            raise AdapterError("from_functions: parse_tool_calls and build_tool_results are needed with provider")
        given[provider] = Functions(
            parse_tool_calls=parse_tool_calls, build_tool_results=build_tool_results, convert_tools=convert_tools,
            read_stream=read_stream, tell_stream=tell_stream,
        )  # fmt: skip
    if not given:
        raise AdapterError("from_functions: give provider and its functions, or providers")
    for known in given:
        if known not in PROVIDERS:
            hint = nearest(known, PROVIDERS)
            raise AdapterError(f"from_functions: unknown provider {known!r}{hint}; providers: {', '.join(PROVIDERS)}")
    if any(functions.tell_stream and not functions.read_stream for functions in given.values()):
        raise AdapterError("from_functions: tell_stream needs read_stream")
    telling = {functions.tell_stream is not None for functions in given.values()}
    if len(telling) > 1:
        raise AdapterError("from_functions: give tell_stream for every provider, or for none")
    claims = {known: _claims(capabilities, functions) for known, functions in given.items()}
    made = TellingFunctionsAdapter if True in telling else FunctionsAdapter
    return made(AdapterInfo(name, claims, version, homepage=homepage, issues=issues), given)


def _claims(capabilities: Iterable[str], functions: Functions) -> frozenset[str]:
    return frozenset(capabilities) | ({"streaming"} if functions.read_stream is not None else set())


@dataclass(frozen=True)
class FunctionsAdapter:
    """A translator made of an application's own functions. Made by `from_functions`."""

    info: AdapterInfo
    functions: Mapping[str, Functions]

    def build_request(self, provider: str, conversation: Conversation, *, stream: bool) -> Request:
        """The request, with tools and results from the functions and the rest as the provider documents it."""
        key, convert = card(provider).forms.conversation, self._of(provider).convert_tools
        request = wire(provider).build(replace(conversation, turns=()), stream=stream)
        body = json.loads(request.body)
        leading = body.get(key) or []
        body[key] = [*leading, *(part for turn in _placed(conversation) for part in self._parts(provider, *turn))]
        if convert is not None and conversation.tools:
            body["tools"] = convert([_plain_tool(tool) for tool in conversation.tools])
        return Request.post_json(request.url, body, request.headers)

    def _of(self, provider: str) -> Functions:
        """The functions for a provider, or for the provider whose format a host speaks."""
        return self.functions.get(provider) or self.functions[card(provider).provider]

    def _parts(self, provider: str, turn: Turn, before: AssistantTurn | None) -> list[Json]:
        """One turn as the messages that carry it."""
        if isinstance(turn, AssistantTurn):
            if turn.calls and turn.opaque is not None:
                return list(turn.opaque)
            turn = replace(turn, opaque=None)  # words only: as the provider documents it
        if isinstance(turn, ResultsTurn) and before is not None:
            outputs = [_plain_output(result) for result in turn.results]
            built = self._of(provider).build_tool_results([_plain_call(call) for call in before.calls], outputs)
            return built if isinstance(built, list) else [built]
        return _documented(provider, turn)

    def parse_response(
        self, provider: str, response: Response, *, conversation: Conversation | None = None
    ) -> AssistantTurn:
        """The turn, with the calls that ``parse_tool_calls`` finds."""
        turn = wire(provider).read_response(response, conversation)
        if turn.error is not None:
            return turn
        body = json.loads(response.body)
        calls = tuple(_call(item) for item in self._of(provider).parse_tool_calls(body))
        return replace(turn, calls=calls, opaque=_replayed(provider, body, turn))

    def parse_stream(
        self, provider: str, chunks: Iterable[bytes], *, conversation: Conversation | None = None
    ) -> AssistantTurn:
        """The turn that ``read_stream`` makes of the events. That the stream broke off is told by the harness."""
        own, read = wire(provider), self._of(provider).read_stream
        assert read is not None, "streaming is not declared without read_stream"
        events = list(own.events(chunks))
        assembly = own.assembled(events)
        turn = own.finish(assembly, conversation)
        told = _told(read([document for event in events if (document := _document(event)) is not None]), turn)
        if turn.stop in ("incomplete", "error"):
            whole = [not call.invalid for call in turn.calls] + [False] * len(told.calls)
            calls = tuple(call if safe else _cut(call) for call, safe in zip(told.calls, whole, strict=False))
            return replace(told, calls=calls, stop=turn.stop, error=turn.error)
        return replace(told, opaque=_replayed(provider, assembly.body, turn))


class TellingFunctionsAdapter(FunctionsAdapter):
    """A translator that tells what happens while a stream is open, too. Made by `from_functions`."""

    def stream_news(
        self, provider: str, chunks: Iterable[bytes], *, conversation: Conversation | None = None
    ) -> Iterator[News]:
        """The news that ``tell_stream`` yields; and the end, where it tells none."""
        own, tell = wire(provider), self._of(provider).tell_stream
        assert tell is not None, "given for every provider"
        seen: list[StreamEvent] = []
        ended = False
        try:
            for item in tell(_documents(own.events(chunks), seen)):
                news = _news(item)
                ended = ended or news.kind == "end"
                yield news
            if not ended:
                yield News("end", own.finish(own.assembled(seen), conversation).stop)
        except FramingError:
            yield News("end", "error")
        finally:
            if (close := getattr(chunks, "close", None)) is not None:
                close()


def _documents(events: Iterable[StreamEvent], seen: list[StreamEvent]) -> Iterator[Json]:
    """The objects of events, one by one. All events that were taken are in ``seen`` then."""
    for event in events:
        seen.append(event)
        if (document := _document(event)) is not None:
            yield document


def _news(item: Any) -> News:
    """News from whatever form the function yields. Raises `TypeError` for anything else."""
    if isinstance(item, News):
        return item
    if not isinstance(item, Mapping) or "kind" not in item:
        raise TypeError(f"tell_stream must yield News or objects with a kind, yielded {type(item).__name__}")
    return News(item["kind"], item.get("text", ""), item.get("call", 0))


def _document(event: StreamEvent) -> Json:
    """An event's object; ``None`` for marks such as ``[DONE]``, and for what is damaged."""
    document = event.document if event.is_json else None
    return document if isinstance(document, dict) else None


def _told(told: Any, turn: AssistantTurn) -> AssistantTurn:
    """The turn that ``read_stream`` returned. Raises `TypeError` for what is none."""
    if isinstance(told, AssistantTurn):
        return told
    if not isinstance(told, Mapping):
        raise TypeError(f"read_stream must return an AssistantTurn or an object, returned {type(told).__name__}")
    calls = tuple(_call(item) for item in told.get("calls") or ())
    return replace(turn, text=told.get("text") or "", calls=calls)


def _cut(call: ToolCall) -> ToolCall:
    """A call whose end was not seen: it must not run."""
    text = call.raw if call.raw is not None else call.sent or ""
    return replace(call, arguments=None, raw=text, invalid=True)


def _replayed(provider: str, body: Json, turn: AssistantTurn) -> list[Json]:
    """What of a response's body goes back into the conversation, as the provider's card says.

    Arguments that are no object cannot go back as they came: they are said as the provider takes them.
    """
    if any(call.invalid for call in turn.calls):
        return _documented(provider, turn)
    forms, found = card(provider).forms, [body]
    for name in forms.replayed.split("/"):
        if name == "*":
            found = [item for value in found for _, item in items(value)]
        else:
            found = [obj(value).get(name) for value in found]
    first = found if forms.replayed.endswith("*") else found[:1]
    return first if forms.replay_role is None else [{"role": forms.replay_role, "content": found[0]}]


def _documented(provider: str, turn: Turn) -> list[Json]:
    """A turn as the provider documents it."""
    single = wire(provider).build(Conversation((turn,)), stream=False)
    return list(json.loads(single.body)[card(provider).forms.conversation])


def _placed(conversation: Conversation) -> Iterable[tuple[Turn, AssistantTurn | None]]:
    """Each turn with the assistant's turn before it."""
    before: AssistantTurn | None = None
    for turn in conversation.turns:
        yield turn, before
        before = turn if isinstance(turn, AssistantTurn) else before


def _plain_tool(tool: Tool) -> dict[str, Json]:
    return {"name": tool.name, "description": tool.description, "parameters": tool.parameters}


def _plain_call(call: ToolCall) -> dict[str, Json]:
    text = call.raw if call.raw is not None else json.dumps(call.arguments, ensure_ascii=False)
    return {"id": call.id, "name": call.name, "input": call.arguments, "argumentsJson": text}


def _plain_output(result: ToolResult) -> dict[str, Json]:
    return {"id": result.call_id, "name": result.name, "outputText": result_text(result), "isError": result.is_error}


def _call(item: Any) -> ToolCall:
    """A call from whatever form the function returns. Raises `TypeError` for anything else."""
    if isinstance(item, ToolCall):
        return item
    if not isinstance(item, Mapping):
        raise TypeError(f"parse_tool_calls must return calls as objects or ToolCall, returned {type(item).__name__}")
    arguments = next((item[key] for key in ("input", "arguments", "args") if item.get(key) is not None), None)
    text = next((item[key] for key in ("argumentsJson", "arguments_json") if isinstance(item.get(key), str)), None)
    if isinstance(arguments, str):
        arguments, text = None, arguments
    if arguments is not None or text is None:
        return ToolCall(item["id"], item["name"], {} if arguments is None else arguments)
    return _from_text(item, text)


def _from_text(item: Mapping[str, Any], text: str) -> ToolCall:
    """A call whose arguments are still JSON text, which the contract allows: it is the application that decodes."""
    try:
        value = json.loads(text) if text.strip() else {}
    except ValueError:
        value = None
    if isinstance(value, dict):
        return ToolCall(item["id"], item["name"], value, sent=text)
    return ToolCall(item["id"], item["name"], None, text, invalid=True)


