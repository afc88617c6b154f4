"""Answers: what a provider said, read by its own wire.

This is the truth that an adapter's understanding is compared with. A test holds it against the scripts, and another
one against the providers' own SDKs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from conformance.http import FramingError, Response, StreamEvent
from conformance.model import AssistantTurn, Conversation, Json, ProviderError, Usage
from conformance.script import ScriptCall, ScriptTurn
from conformance.wires.base import Wire


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer. ``body`` is the body of the blocking response, or the one that the stream's ``events`` amount to.

    ``offered`` is the same in neutral words: tools by the application's names, ids as they were on the wire (``""``
    where there was none). ``complete`` is false when a stream lacks its terminal marker.
    """

    body: Json
    offered: AssistantTurn
    complete: bool = True
    response: Response | None = None
    events: list[StreamEvent] | None = None
    meant: AssistantTurn | None = None
    """What the stream would have said if one of its events had not arrived broken."""
    whole: Json = None
    """The body that the provider would have sent for the same turn without a stream, where that is known."""


@dataclass(frozen=True, slots=True)
class SoFar:
    """What the first ``given`` chunks of a stream say. ``open_calls`` are the places of calls that go on."""

    given: int
    turn: AssistantTurn
    open_calls: frozenset[int]
    sent: tuple[str, ...] = ()
    """The text of each call's arguments, where the format has them as text."""
    thinking: str = ""


def growing(wire: Wire, chunks: Iterable[bytes]) -> Iterator[SoFar]:
    """What a stream says after each of its events, as far as it can be read."""
    taken, events = 0, list[StreamEvent]()

    def counted() -> Iterator[bytes]:
        nonlocal taken
        for chunk in chunks:
            taken += 1
            yield chunk

    try:
        for event in wire.events(counted()):
            events.append(event)
            assembly = wire.assembled(events)
            turn = wire.finish(replace(assembly, complete=True, open_calls=frozenset()), None)
            yield SoFar(taken, turn, assembly.open_calls, assembly.sent, assembly.thinking)
    except FramingError:
        return


def answer_of_response(wire: Wire, response: Response, conversation: Conversation | None = None) -> Answer:
    """A blocking response as an answer. ``conversation`` maps wire names back to the application's."""
    body = response.document
    turn = wire.read_response(response, conversation)
    return Answer(body, _with_wire_ids(wire, turn, body), response=response)


def answer_of_events(wire: Wire, events: list[StreamEvent], conversation: Conversation | None = None) -> Answer:
    """The events of a stream as an answer."""
    assembly = wire.assembled(events)
    turn = wire.finish(assembly, conversation)
    return Answer(assembly.body, _with_wire_ids(wire, turn, assembly.body), assembly.complete, events=events)


def answer_of_stream(wire: Wire, chunks: Iterable[bytes], conversation: Conversation | None = None) -> Answer:
    """The bytes of a stream as an answer. Bytes that the framing does not allow are an answer that says so."""
    try:
        return answer_of_events(wire, list(wire.events(chunks)), conversation)
    except FramingError as problem:
        return Answer(None, AssistantTurn(stop="error", error=ProviderError(str(problem))), complete=False, events=[])


def _with_wire_ids(wire: Wire, turn: AssistantTurn, body: Json) -> AssistantTurn:
    """``turn`` with ids as they are on the wire, instead of ids minted by our reader."""
    if not turn.calls:
        return turn
    ids = [call_id if isinstance(call_id, str) else "" for call_id in wire.answered_ids(body)]
    return replace(turn, calls=tuple(replace(call, id=own) for call, own in zip(turn.calls, ids, strict=True)))


def script_of(turn: AssistantTurn, thinking: str) -> ScriptTurn:
    """A turn that was read, as one to say."""
    calls = tuple(
        ScriptCall(call.name, call.arguments, call.raw if call.invalid else None, call.id) for call in turn.calls
    )
    stop = turn.stop if turn.stop in ("length", "refusal", "pause") else None
    return ScriptTurn(
        turn.text, calls, reasoning=thinking or None, refusal=turn.refusal, stop=stop, usage=turn.usage or Usage(0, 0)
    )


def thinking_in(body: Json) -> str:
    """What the model thought, in an answer of any format."""
    if isinstance(body, list):
        return "".join(map(thinking_in, body))
    if not isinstance(body, dict):
        return ""
    words = {"thinking": "thinking", "summary_text": "text", "reasoning_text": "text"}.get(str(body.get("type")))
    if words is None and body.get("thought") is True:
        words = "text"
    if words is not None:
        return str(body.get(words) or "")
    own = body.get("reasoning_content")
    return (own if isinstance(own, str) else "") + "".join(map(thinking_in, body.values()))
