"""What a translator must write and read, field by field, taken from what a provider's own wire builds and renders.

Nothing here is typed by hand but a small conversation. Where a field stands is read off the request (`Facts`), or found
in the answer by a mark that the script put there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from conformance.http import Framing, StreamEvent, frame
from conformance.model import (
    Conversation,
    ImagePart,
    Json,
    ResultsTurn,
    TextPart,
    Tool,
    ToolChoice,
    ToolResult,
    UserTurn,
)
from conformance.report.ends import End, ends
from conformance.rules import Rule, catalogue
from conformance.script import ScriptCall, ScriptTurn, Voice
from conformance.wires import card, wire
from conformance.wires.facts import Facts, pointer, value_at

FieldName = Literal["declaration", "choice", "call", "id", "result", "error", "binary", "stream", "stop"]
"""What a translator has to do with a field."""

MEANINGS: Mapping[FieldName, str] = {
    "declaration": "a tool that may be called",
    "choice": "whether the model must, may or must not call",
    "call": "what the model asks for, in an answer and where it is said again",
    "id": "what a result says to name its call",
    "result": "what a tool returned",
    "error": "what a tool returned that failed",
    "binary": "an image in a result",
    "stream": "a call in a stream",
    "stop": "why a turn ended",
}

TOOL = Tool(
    "get_weather",
    "Tells the weather of a city.",
    {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
)
QUESTION, ANSWER = "What is the weather in Oslo?", "Rain, 7 degrees."
ASK = Conversation((UserTurn(QUESTION),), (TOOL,))
CALL = ScriptTurn(calls=(ScriptCall(TOOL.name, {"city": "Oslo"}),))
VOICE = Voice("test-model", {}, "fields")
PIXEL = ImagePart("image/png", b"\x89PNG\r\n\x1a\n")


@dataclass(frozen=True, slots=True)
class FieldExample:
    """One place, and what stands there. ``what`` says when; ``at`` is a JSON pointer into the body."""

    what: str
    at: str
    value: Json


@dataclass(frozen=True, slots=True)
class Field:
    """All that is to be known of one field at one provider.

    ``stream`` is text as it comes, and ``ends`` are the words for why a turn ended, where the field has any.
    """

    name: FieldName
    examples: tuple[FieldExample, ...]
    rules: tuple[Rule, ...]
    stream: str = ""
    ends: tuple[End, ...] = ()


def fields(provider: str) -> list[Field]:
    """The fields of a provider or host, in the order of `MEANINGS`. One without examples is not there at all.

    Raises `KeyError` for an id that there is not.
    """
    talk = _Talk(provider)
    return [
        Field(
            name,
            tuple(make(talk)),
            tuple(_rules(name, provider)),
            talk.stream if name == "stream" else "",
            tuple(ends(provider)) if name == "stop" else (),
        )
        for name, make in EXAMPLES.items()
    ]


class _Talk:
    """One conversation with a provider: what is asked, what is answered, what is asked next."""

    def __init__(self, provider: str) -> None:
        self.provider, self.wire, self.can = provider, wire(provider), card(provider).capabilities
        self.answer = self.wire.render(CALL, VOICE)
        self.turn = self.wire.read(self.answer, ASK)
        events = self.wire.render_stream(CALL, VOICE)
        self.stream = _as_text(events, card(provider).framings[0])

    def sent(self, conversation: Conversation) -> tuple[Json, Facts]:
        """The body of the request that continues a conversation, and what it says."""
        request = self.wire.build(conversation, stream=False)
        return json.loads(request.body), self.wire.facts(request)

    def returned(self, *content: TextPart | ImagePart, failed: bool = False) -> Conversation:
        """The conversation after the tool returned."""
        result = ToolResult(self.turn.calls[0].id, TOOL.name, content, failed)
        return ASK.then(self.turn, ResultsTurn((result,)))


def _as_text(events: list[StreamEvent], framing: Framing) -> str:
    """A stream as it comes; of a binary one what its messages say, a line each."""
    if framing == "aws-event-stream":
        return "\n".join(event.data for event in events)
    return b"".join(frame(events, framing)).decode()


def _declaration(talk: _Talk) -> Iterator[FieldExample]:
    body, facts = talk.sent(ASK)
    yield _shown("with a schema", body, facts.tools[0].at)
    body, facts = talk.sent(replace(ASK, tools=(Tool("now", "Tells the time."),)))
    yield _shown("without parameters", body, facts.tools[0].at)


def _choice(talk: _Talk) -> Iterator[FieldExample]:
    choices = {
        "one of the tools": ToolChoice("required"),
        "this tool": ToolChoice("tool", TOOL.name),
        "no tool": ToolChoice("none"),
    }
    for what, choice in choices.items() if "tool_choice" in talk.can else ():
        body, facts = talk.sent(replace(ASK, choice=choice))
        if facts.choice is not None:
            yield _shown(what, body, facts.choice.at)
    if "parallel_switch" in talk.can:
        body, facts = talk.sent(replace(ASK, choice=ToolChoice(parallel=False)))
        yield _shown("at most one call", body, facts.parallel_at)


def _call(talk: _Talk) -> Iterator[FieldExample]:
    yield _shown("in the answer", talk.answer, _holding(TOOL.name, talk.answer))
    body, facts = talk.sent(talk.returned(TextPart(ANSWER)))
    yield _shown("said again in the next request", body, facts.calls[0].at)


def _id(talk: _Talk) -> Iterator[FieldExample]:
    (minted,) = talk.wire.ids(CALL, VOICE)
    at = _place(minted, talk.answer) if minted is not None else None
    if at is not None:
        yield _shown("of the call, in the answer", talk.answer, at)
    body, facts = talk.sent(talk.returned(TextPart(ANSWER)))
    if facts.results[0].ref_at:
        yield _shown("in the result", body, facts.results[0].ref_at)


def _result(talk: _Talk) -> Iterator[FieldExample]:
    body, facts = talk.sent(talk.returned(TextPart(ANSWER)))
    yield _shown("of text", body, facts.results[0].at)


def _error(talk: _Talk) -> Iterator[FieldExample]:
    body, facts = talk.sent(talk.returned(TextPart("no such city"), failed=True))
    yield _shown("of a tool that failed", body, facts.results[0].at)


def _binary(talk: _Talk) -> Iterator[FieldExample]:
    body, facts = talk.sent(talk.returned(TextPart("The map."), PIXEL))
    result = facts.results[0]
    yield _shown("with an image" if result.images else "with an image, told in words", body, result.at)
    for at, _, _ in result.images:
        if not at.startswith(f"{result.at}/"):
            yield _shown("the image beside it", body, at)


def _stop(talk: _Talk) -> Iterator[FieldExample]:
    ways = {
        "after calls": CALL,
        "after text": ScriptTurn(ANSWER),
        "at the limit": ScriptTurn(ANSWER, stop="length"),
    }
    bodies = {what: talk.wire.render(turn, VOICE) for what, turn in ways.items()}
    places = list(_apart(bodies["after text"], bodies["at the limit"]))
    for what, body in bodies.items():
        yield from (_shown(what, body, at) for at in places if _there(body, at))


def _stream(_: _Talk) -> Iterator[FieldExample]:
    return iter(())


EXAMPLES: Mapping[FieldName, Callable[[_Talk], Iterator[FieldExample]]] = {
    "declaration": _declaration,
    "choice": _choice,
    "call": _call,
    "id": _id,
    "result": _result,
    "error": _error,
    "binary": _binary,
    "stream": _stream,
    "stop": _stop,
}

STAGES: Mapping[str, FieldName] = {
    "declare": "declaration", "naming": "declaration", "choose": "choice", "parse": "call", "history": "call",
    "ids": "id", "result": "result", "binary": "binary", "stream": "stream",
}  # fmt: skip
"""The field that the rules of a stage are about. Rules about stops and failed tools are told by their names."""


def _rules(name: FieldName, provider: str) -> Iterator[Rule]:
    """The rules about a field, the provider's own first."""
    own = card(provider)
    about = [rule for rule in catalogue().values() if rule.is_told(own.provider) and _field_of(rule) == name]
    yield from sorted(about, key=lambda rule: rule.family == "common")


def _field_of(rule: Rule) -> FieldName | None:
    words = set(rule.id.split(".", 2)[2].split("-"))
    if rule.stage == "result" and "error" in words:
        return "error"
    if rule.stage == "parse" and words & {"stop", "finish"}:
        return "stop"
    return STAGES.get(rule.stage)


# --- places ----------------------------------------------------------------------------------------------------------


def _shown(what: str, body: Json, at: str) -> FieldExample:
    return FieldExample(what, at, value_at(body, at))


def _walk(document: Json, at: str = "") -> Iterator[tuple[str, Json]]:
    """All values of a document with their pointers, outer ones first."""
    yield at, document
    inside = enumerate(document) if isinstance(document, list) else ()
    for key, value in document.items() if isinstance(document, dict) else inside:
        yield from _walk(value, at + pointer(key))


def _place(value: Json, document: Json) -> str | None:
    """Where a value stands: the last place, for some formats say a thing twice, and the call's comes later."""
    return next((at for at, found in reversed(list(_walk(document))) if found == value), None)


def _holding(mark: str, document: Json) -> str:
    """The smallest item of a list that holds a mark: a call among the calls."""
    places = [at for at, found in _walk(document) if found == mark]
    parts = places[0].split("/")
    last = max(place for place, part in enumerate(parts) if part.isdigit())
    return "/".join(parts[: last + 1])


def _apart(one: Json, other: Json) -> Iterator[str]:
    """Where two documents say different words, or one of them none."""
    values = dict(_walk(other))
    for at, value in _walk(one):
        if values.get(at, value) != value and isinstance(value, str | None):
            yield at


def _there(document: Json, at: str) -> bool:
    return any(place == at for place, _ in _walk(document))

