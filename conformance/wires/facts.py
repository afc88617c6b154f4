"""What a request says, in neutral words and with its places.

A wire reads an adapter's request into `Facts` once; every rule reads the facts instead of the document. Facts are
tolerant: whatever is there is listed as it is, and judging it is the rules' business. ``at`` is always a JSON pointer
(RFC 6901) into the request body.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from conformance.http import Request
from conformance.model import Json

Object = Mapping[str, Json]
"""A JSON object on the wire."""

Role = Literal["system", "user", "assistant", "tool"]


def pointer(*parts: str | int) -> str:
    """A JSON pointer made of its parts, escaped."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)


def value_at(document: Json, at: str) -> Json:
    """What is at a JSON pointer. Raises `LookupError` where nothing is."""
    for part in at.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        document = document[int(name)] if isinstance(document, list) else document[name]
    return document


@dataclass(slots=True)
class SentTool:
    """A declared tool. ``kind`` is ``function`` for client tools, else the provider's word for a tool of its own.
    ``strict_at`` is where ``strict`` stands when that is not on the tool itself. ``takes_text``: the tool takes one
    text; ``grammar`` is what it must fit, as (syntax, definition)."""

    at: str
    kind: str
    name: Json = None
    description: Json = None
    schema: Json = None
    schema_at: str = ""
    strict: Json = None
    strict_at: str = ""
    takes_text: bool = False
    grammar: tuple[Json, Json] | None = None


@dataclass(slots=True)
class SentChoice:
    """The tool choice. ``mode`` is ``None`` when the value is not one the wire knows; ``raw`` is the value itself."""

    at: str
    mode: Literal["auto", "none", "required", "tool"] | None
    name: Json = None
    raw: Json = None
    names: tuple[Json, ...] | None = None
    """The tools that alone may be called, where the choice lists some."""


@dataclass(slots=True)
class SentCall:
    """A replayed call. ``raw`` is the arguments value as sent, ``arguments`` the object that it means, if any.
    ``takes_text``: it is the call of a tool that takes one text, which ``raw`` is then. ``kind`` is the provider's word
    for the kind of the tool, where the provider defined it and calls of it have a form of their own."""

    at: str
    id: Json
    name: Json
    raw: Json
    arguments: Mapping[str, Json] | None
    id_at: str = ""
    name_at: str = ""
    arguments_at: str = ""
    takes_text: bool = False
    kind: str | None = None


@dataclass(slots=True)
class SentResult:
    """A result. ``ref`` is the id that it answers (``None`` when absent).

    ``text`` is what the model reads of it: all its text, or the JSON text of an object. ``content`` is the value as
    sent. ``error`` says whether it is marked as an error in the wire's own way (``None``: the wire has no mark).
    ``images`` lists the images that travel with it, as (pointer, media type, base64 data). ``kind`` is the
    provider's word for the kind of the tool, as in `SentCall`, where the result has that kind's form.
    """

    at: str
    ref: Json
    content: Json
    text: str | None
    name: Json = None
    error: bool | None = None
    images: list[tuple[str, Json, Json]] = field(default_factory=list)
    ref_at: str = ""
    content_at: str = ""
    kind: str | None = None


@dataclass(slots=True)
class SentMessage:
    """A message, item or content. ``wire_role`` is the role as written; ``texts`` are (pointer, text)."""

    at: str
    role: Role | None
    wire_role: Json = None
    texts: list[tuple[str, Json]] = field(default_factory=list)
    calls: list[SentCall] = field(default_factory=list)
    results: list[SentResult] = field(default_factory=list)


@dataclass(slots=True)
class Round:
    """The calls of one assistant turn, the results that directly follow, and what stands between or after them.

    ``late`` are results of these calls that come after another message; ``between`` are the messages that stand
    between the calls and the last of their results without being results.
    """

    calls: list[SentCall]
    results: list[SentResult] = field(default_factory=list)
    late: list[SentResult] = field(default_factory=list)
    between: list[SentMessage] = field(default_factory=list)
    closed: bool = False
    """Whether anything follows the results: the model, or the user, went on."""


@dataclass(frozen=True, slots=True)
class SentReference:
    """An item of an earlier answer that is named by its id instead of being repeated (Responses:
    ``item_reference``). ``is_call`` is true where the id is one of a call."""

    at: str
    id: Json
    is_call: bool


SWITCH: Mapping[str, bool] = {"enabled": True, "adaptive": True, "disabled": False}
"""Words for thinking, on several wires. Whoever is adaptive thinks where it helps."""


@dataclass(frozen=True, slots=True)
class SentValue:
    """A setting of a request that is no part of the conversation, and where it stands."""

    at: str
    value: Json


@dataclass(slots=True)
class SentSettings:
    """What a request asks of the model beside the conversation and the tools.

    ``limits`` are the most tokens that may be answered. ``thinking`` is whether the request switches thinking on or off
    (``None``: it says nothing), and ``budget`` how many tokens of the limit are for it. ``usage`` is whether the stream
    shall tell what it cost, where that must be asked for. ``costly`` is what is paid for besides: more answers than
    one, a faster service.
    """

    limits: list[SentValue] = field(default_factory=list)
    thinking: bool | None = None
    thinking_at: str = ""
    budget: Json = None
    usage: bool = False
    costly: list[SentValue] = field(default_factory=list)


@dataclass
class Facts:
    """The neutral view of one request. ``document`` is the decoded body, ``None`` when it is not JSON."""

    document: Json = None
    tools: list[SentTool] = field(default_factory=list)
    tools_at: str = "/tools"
    choice: SentChoice | None = None
    parallel: bool | None = None
    parallel_at: str = ""
    system: list[tuple[str, Json]] = field(default_factory=list)
    messages: list[SentMessage] = field(default_factory=list)
    stream: bool = False
    previous: str | None = None
    """The id of an earlier response that this request continues (Responses: ``previous_response_id``)."""
    references: list[SentReference] = field(default_factory=list)
    """What the request names instead of repeating it."""
    packed: list[Json] = field(default_factory=list)
    """What the provider packed an earlier part of the history into, sealed (Responses: ``compaction`` items)."""
    settings: SentSettings = field(default_factory=SentSettings)
    index: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """What was worked out of these facts, by name, so that it is worked out once for all who ask."""
    spread: bool = False
    """Whether the wire spreads one assistant turn over several items: what stands beside calls is then part of it."""

    @property
    def is_partial(self) -> bool:
        """Whether the provider keeps or has packed a part of the conversation, which this request therefore leaves
        out."""
        return self.previous is not None or bool(self.references) or bool(self.packed)

    @cached_property
    def calls(self) -> list[SentCall]:
        """Every replayed call, in order."""
        return [call for message in self.messages for call in message.calls]

    @cached_property
    def results(self) -> list[SentResult]:
        """Every result, in order."""
        return [result for message in self.messages for result in message.results]

    @cached_property
    def functions(self) -> list[SentTool]:
        """The declared client tools that take arguments."""
        return [tool for tool in self.tools if tool.kind == "function"]

    @cached_property
    def client_tools(self) -> list[SentTool]:
        """The declared client tools: those that take arguments, and those that take a text."""
        return [tool for tool in self.tools if tool.kind == "function" or tool.takes_text]

    @cached_property
    def rounds(self) -> list[Round]:
        """Calls with their results, assistant turn by assistant turn."""
        return list(_rounds(self.messages, self.spread))


def _rounds(messages: list[SentMessage], spread: bool) -> Iterator[Round]:
    current: Round | None = None
    pending: list[SentMessage] = []
    for message in messages:
        if message.calls:
            if current is not None and not current.results and not pending:
                current.calls += message.calls  # one turn that the wire spreads over several items
                continue
            if current is not None:
                current.closed = True
                yield current
            current, pending = Round(list(message.calls)), []
            if message.results:
                current.results += message.results
        elif current is None:
            continue
        elif message.results:
            ids = [call.id for call in current.calls] if pending else []
            for result in message.results:
                late = bool(pending) and (result.ref in ids or result.ref is None)
                (current.late if late else current.results).append(result)
            if pending:
                current.between += pending
                pending = []
        elif spread and message.wire_role is None:
            continue  # reasoning items and the like: no messages
        elif message.role == "assistant" and not current.results and not pending and (spread or not message.texts):
            continue  # what else the model said, beside the calls
        else:
            current.closed = True
            pending.append(message)
    if current is not None:
        yield current


def decode(request: Request) -> Json:
    """The request's body as JSON, or ``None`` when it is not JSON."""
    return request.document


def settings_at(body: Json, *paths: str) -> list[SentValue]:
    """The settings at some paths of a body, of those that are there. ``null`` says nothing."""
    found = ((path, _at(body, path.split("/")[1:])) for path in paths)
    return [SentValue(path, value) for path, value in found if value is not None]


def _at(value: Json, words: list[str]) -> Json:
    for word in words:
        value = obj(value).get(word)
    return value


def obj(value: Json) -> Mapping[str, Json]:
    """``value`` if it is an object, else an empty one: reading what an adapter built must never raise."""
    return value if isinstance(value, dict) else {}


def items(value: Json) -> list[tuple[int, Json]]:
    """The elements of ``value`` with their indexes, if it is an array."""
    return list(enumerate(value)) if isinstance(value, list) else []


def object_of(raw: Json) -> Mapping[str, Json] | None:
    """The arguments object that ``raw`` means: itself, or the object in its JSON text. ``None`` if there is none."""
    if isinstance(raw, dict):
        return raw
    if isinstance(raw, str):
        try:
            value = json.loads(raw) if raw.strip() else {}
        except (ValueError, RecursionError):
            return None
        return value if isinstance(value, dict) else None
    return None
