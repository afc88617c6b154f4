"""What a wire is: both halves of one provider's format.

The *provider half* renders scripted turns as responses, streams and errors, and reads an adapter's request into
`Facts`. The *client half* builds requests and reads responses: the reference adapters are this half, and recorded
traffic is read by it.

A stream is read in two steps: `Wire.assemble` puts its events together into the body that the blocking call would have
answered with, and `Wire.read` reads that body. So there is one reader, and rules see one kind of answer.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol, TypeVar

from conformance.http import CONTENT_TYPES, Framing, FramingError, Request, Response, StreamEvent, unframe
from conformance.model import AssistantTurn, Conversation, Json, News, Parsed, ProviderError, ToolCall, decoded_json
from conformance.script import STATUS, ScriptCall, ScriptError, ScriptTurn, Voice
from conformance.wires.card import Card
from conformance.wires.errors import error_document, provider_error
from conformance.wires.facts import Facts, obj
from conformance.wires.grammar import BodyGrammar, Grammar
from conformance.wires.host_file import HostSettings
from conformance.wires.host_form import HostForm, host_form

T = TypeVar("T")

@dataclass(slots=True)
class Assembly:
    """A stream put together: the blocking body that it amounts to.

    ``complete`` is false when the stream ended before its terminal marker; ``open_calls`` then holds the positions, in
    the order of the turn's calls, of those whose end was not seen. ``error`` is a failure reported inside the stream.
    """

    body: dict[str, Json]
    complete: bool
    open_calls: frozenset[int] = frozenset()
    error: ProviderError | None = None
    damaged: bool = False
    """Whether an event was no JSON. Then no call can be trusted, because nobody knows what is missing."""
    sent: tuple[str, ...] = ()
    """The text of each call's arguments as it came so far, in the order of the turn's calls. Empty where the format has
    objects."""
    thinking: str = ""
    """The words of the model's thinking as they came so far."""


class RequestBuilder(Protocol):
    """Makes the request that continues a conversation."""

    def __call__(self, conversation: Conversation, *, stream: bool) -> Request: ...


class TurnReader(Protocol):
    """Makes the turn in a successful response's body.

    With ``conversation``, wire names are mapped back to the application's names, and ids that are missing or were used
    before are replaced by new ones.
    """

    def __call__(self, body: Json, conversation: Conversation | None = None, /) -> AssistantTurn: ...


Chunks = Iterable[bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wire:
    """One provider's format: a card, and functions. It holds no state and may be shared between threads."""

    card: Card

    # --- client half
    build: RequestBuilder
    assemble: Callable[[Iterable[StreamEvent]], Assembly]
    """The blocking body that the events of a stream amount to."""
    read: TurnReader
    read_error: Callable[[int, Mapping[str, str], bytes], ProviderError]
    """The failure in an error response: its status, headers and body."""
    answered_ids: Callable[[Json], list[Json]]
    """The id of each call in a successful response's body as it is on the wire, in the order of `read`'s calls."""

    # --- provider half
    facts: Callable[[Request], Facts]
    """What a request says. Never raises, whatever the body is."""
    ids: Callable[[ScriptTurn, Voice], list[str | None]]
    """The id of each call of a turn as it goes on the wire; ``None`` where the wire carries none."""
    render: Callable[[ScriptTurn, Voice], dict[str, Json]]
    """The body of the blocking response that says a turn."""
    render_stream: Callable[[ScriptTurn, Voice], list[StreamEvent]]
    """The events of the stream that says a turn, as far as its ``cut`` or ``fails_with`` lets them come."""
    render_error: Callable[[ScriptError], Response]
    """The HTTP error with the provider's status and body."""

    # --- what answers must look like
    grammar: Grammar | None
    """What a stream may send in which order."""
    body_grammar: BodyGrammar | None
    """What a blocking answer must have."""

    sniff: Callable[[Chunks], tuple[Chunks, Framing]] | None
    """The chunks of a stream and their framing, told by the first byte that is not blank. Only where there are two."""

    relative: Callable[[Card, HostSettings], Wire] | None
    """The wire of a host that differs in settings of this wire's own, each with its place. ``None``: there are none."""

    def at(self, card: Card, settings: HostSettings) -> Wire:
        """The wire of a host that speaks this format. Raises `HostError` for settings that this wire does not have."""
        if self.relative is not None:
            return self.relative(card, settings)
        form = host_form(settings)
        moved = replace(self, card=card, build=partial(_built_at, self, card, form))
        return replace(moved, render_error=error_renderer(form.error_body)) if form.errors else moved

    @property
    def answer_rules(self) -> frozenset[str]:
        """The rules that the grammars speak of: they say what an answer is like."""
        streams = (level.rule for level in self.grammar.levels) if self.grammar is not None else ()
        return frozenset((*streams, *([self.body_grammar.rule] if self.body_grammar is not None else ())))

    def read_response(self, response: Response, conversation: Conversation | None = None) -> AssistantTurn:
        """The turn in a response, or a turn that only says what failed."""
        if response.status >= 400:
            error = self.read_error(response.status, response.headers, response.body)
            return AssistantTurn(stop="error", error=error)
        if not response.is_json:
            try:
                json.loads(response.body)
            except (ValueError, RecursionError) as problem:
                return AssistantTurn(stop="error", error=ProviderError(f"the response is not JSON: {problem}"))
        return _decoded(self.read(response.document, conversation), conversation)

    def read_stream(self, chunks: Chunks, conversation: Conversation | None = None) -> AssistantTurn:
        """The turn in a stream that arrives as ``chunks``. Cut streams give a turn that stops with ``incomplete``."""
        try:
            assembly = self.assembled(list(self.events(chunks)))
        except FramingError as problem:
            return AssistantTurn(stop="error", error=ProviderError(str(problem)))
        return self.finish(assembly, conversation)

    def news(self, chunks: Chunks, conversation: Conversation | None = None) -> Iterator[News]:
        """What there is to tell while a stream is open: after each event, what the events so far amount to beyond that
        which was told. The chunks are closed when nobody wants more."""
        reporter = Reporter(self, conversation)
        try:
            for event in self.events(chunks):
                yield from reporter.news(event)
            yield from reporter.last()
        except FramingError:
            yield News("end", "error")
        finally:
            if (close := getattr(chunks, "close", None)) is not None:
                close()

    def assembled(self, events: Sequence[StreamEvent]) -> Assembly:
        """`assemble`, and whether an event was damaged: what it said is lost, so nothing of the turn can be trusted.

        The last event may be half an event, because the stream was cut off there: its missing end says so.
        """
        assembly = self.assemble(events)
        if any(map(is_damaged, events[:-1])):
            return replace(assembly, complete=False, damaged=True)
        return assembly

    def events(self, chunks: Chunks) -> Iterator[StreamEvent]:
        """The events of a stream. Raises `FramingError`."""
        return unframe(*self.framed(chunks))

    def framed(self, chunks: Chunks) -> tuple[Chunks, Framing]:
        """The chunks of a stream and their framing."""
        return self.sniff(chunks) if self.sniff is not None else (chunks, self.card.framings[0])

    def finish(self, assembly: Assembly, conversation: Conversation | None = None) -> AssistantTurn:
        """The turn that an assembled stream says."""
        turn = self.read(assembly.body, conversation)
        if assembly.sent and len(assembly.sent) == len(turn.calls):  # else nobody knows which text is whose
            pairs = zip(turn.calls, assembly.sent, strict=True)
            turn = replace(turn, calls=tuple([replace(call, sent=sent) for call, sent in pairs]))
        if assembly.error is not None:
            calls = tuple(_unusable(call) for call in turn.calls)
            return replace(turn, calls=calls, stop="error", error=assembly.error)
        if not assembly.complete:
            calls = tuple(
                _unusable(call) if assembly.damaged or number in assembly.open_calls else call
                for number, call in enumerate(turn.calls)
            )
            return replace(turn, calls=calls, stop="incomplete")
        return _decoded(turn, conversation)

    def respond(self, turn: ScriptTurn, voice: Voice) -> Response:
        """The blocking response that says ``turn``."""
        return Response.of_json(200, self.render(turn, voice))


class Reporter:
    """Tells what is new in a stream, event by event, in one conversation."""

    def __init__(self, wire: Wire, conversation: Conversation | None) -> None:
        self._wire, self._conversation = wire, conversation
        self._events: list[StreamEvent] = []
        self._text = self._thinking = ""
        self._begun: list[str] = []
        self._sent: dict[int, str] = {}
        self._ended: set[int] = set()

    def news(self, event: StreamEvent) -> Iterator[News]:
        """What an event adds. A call is whole when the turn is, or when another one begins after its end."""
        self._events.append(event)
        assembly, turn = self._so_far()
        if assembly.thinking.startswith(self._thinking) and assembly.thinking != self._thinking:
            yield News("thinking", assembly.thinking[len(self._thinking) :])
            self._thinking = assembly.thinking
        if turn.text.startswith(self._text) and turn.text != self._text:
            yield News("text", turn.text[len(self._text) :])
            self._text = turn.text
        for place, call in enumerate(turn.calls):
            if place == len(self._begun) and call.name:
                self._begun.append(call.name)
                yield News("call", call.name, place)
            if place < min(len(self._begun), len(assembly.sent)):
                yield from self._arguments(place, assembly.sent[place])
            known = place < len(self._begun) and place not in self._ended and place not in assembly.open_calls
            if known and not call.invalid and (assembly.complete or place < len(turn.calls) - 1):
                self._ended.add(place)
                yield News("call_end", call.name, place)

    def _arguments(self, place: int, sent: str) -> Iterator[News]:
        told = self._sent.get(place, "")
        if sent.startswith(told) and sent != told:
            self._sent[place] = sent
            yield News("arguments", sent[len(told) :], place)

    def last(self) -> Iterator[News]:
        """What the end of the stream tells."""
        yield News("end", self._so_far()[1].stop)

    def _so_far(self) -> tuple[Assembly, AssistantTurn]:
        assembly = self._wire.assembled(self._events)
        return assembly, self._wire.finish(assembly, self._conversation)


_MARKER = re.compile(r"\[[A-Z_]+\]")


def is_damaged(event: StreamEvent) -> bool:
    """Whether an event carries neither JSON nor a marker such as ``[DONE]``."""
    if event.is_json:
        return False
    data = event.data.strip()
    return bool(data) and not _MARKER.fullmatch(data) and not StreamEvent(data).is_json


def _built_at(wire: Wire, card: Card, form: HostForm, conversation: Conversation, *, stream: bool) -> Request:
    request = wire.build(conversation, stream=stream)
    return form.request(request, wire.card, card, conversation.model, stream=stream)


def error_renderer(body: Callable[[ScriptError], Json]) -> Callable[[ScriptError], Response]:
    """Renders HTTP errors with the usual statuses and headers, from what makes their body."""

    def render(error: ScriptError) -> Response:
        waits = error.retry_after is not None and "wait_in_body" not in error.quirks
        headers = {"retry-after": str(error.retry_after)} if waits else {}
        document = [body(error)] if "error_in_array" in error.quirks else body(error)
        return Response.of_json(STATUS[error.kind], document, headers)

    return render


def stream_headers(framing: Framing) -> dict[str, str]:
    """The headers of a stream."""
    return {"content-type": CONTENT_TYPES[framing]}


def read_nested_error(status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
    """The failure in a response whose error stands under ``error``, as most providers have it."""
    document = error_document(body)
    return provider_error(status, obj(document).get("error", document), headers=headers)


def _decoded(turn: AssistantTurn, conversation: Conversation | None) -> AssistantTurn:
    """A whole answer with what its text means, where it was asked for as JSON."""
    if conversation is None or conversation.output is None or turn.stop != "end":
        return turn
    return replace(turn, parsed=Parsed(decoded_json(turn.text)))


def _unusable(call: ToolCall) -> ToolCall:
    raw = call.raw if call.raw is not None else json.dumps(call.arguments) if call.arguments else ""
    return replace(call, arguments=None, raw=raw, invalid=True)


# --- helpers that wires share ----------------------------------------------------------------------------------------


def parse_arguments(raw: Json) -> tuple[Mapping[str, Json] | None, str | None, bool]:
    """``(arguments, raw, invalid)`` of a call whose arguments came as ``raw``.

    Text is decoded, an object is taken as it is, and nothing at all (absent, null, ``""``, ``"null"``) is ``{}``.
    Anything else is kept as text and marked invalid.
    """
    if isinstance(raw, dict):
        return raw, None, False
    if raw is None or (isinstance(raw, str) and raw.strip() in ("", "null")):
        return {}, None, False
    text = raw if isinstance(raw, str) else json.dumps(raw)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None, text, True
    return (value, None, False) if isinstance(value, dict) else (None, text, True)


def text_sent(raw: Json) -> str | None:
    """The text of a call's arguments as it was sent; ``None`` where it was an object."""
    return raw if isinstance(raw, str) else None


def arguments_text(call: ScriptCall) -> str:
    """A scripted call's arguments as JSON text."""
    if call.raw is not None:
        return call.raw
    return json.dumps(call.arguments if call.arguments is not None else {}, ensure_ascii=False, separators=(",", ":"))


def fragments(text: str, quirks: frozenset[str]) -> list[str]:
    """``text`` in the pieces in which a stream carries it: a few, one, or cuts inside escapes and numbers."""
    if "whole_deltas" in quirks:
        return [text]
    size = 3 if "split_escapes" in quirks else max(1, -(-len(text) // 4))
    pieces = [text[start : start + size] for start in range(0, len(text), size)] or [""]
    if "empty_deltas" in quirks:
        return [piece for part in pieces for piece in ("", part)]
    return pieces


def without(value: Json, names: frozenset[str]) -> Json:
    """``value`` without the members of these names, wherever they are but in a call's arguments."""
    if isinstance(value, dict):
        inner = {name: one if name in ("args", "input") else without(one, names) for name, one in value.items()}
        return {name: one for name, one in inner.items() if name not in names}
    return [without(one, names) for one in value] if isinstance(value, list) else value


def interleave(lanes: list[list[T]]) -> Iterator[T]:
    """The events of several lanes, one of each in turn."""
    for step in range(max(map(len, lanes), default=0)):
        yield from (lane[step] for lane in lanes if step < len(lane))


_ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789"


def mint(seed: str, length: int, prefix: str = "") -> str:
    """A repeatable identifier of ``length`` letters and digits after ``prefix``."""
    digest = hashlib.sha256(seed.encode("utf-8", "surrogatepass")).digest()
    while len(digest) < length:
        digest += hashlib.sha256(digest).digest()
    return prefix + "".join(_ALPHABET[byte % len(_ALPHABET)] for byte in digest[:length])


def signature(seed: str) -> str:
    """A repeatable opaque blob, base64 with padding and with ``+`` and ``/``, as real signatures have."""
    blob = b"".join(hashlib.sha256(f"{seed}/{part}".encode()).digest() for part in range(3))
    return base64.b64encode(b"\xfb\xff" + blob).decode()
