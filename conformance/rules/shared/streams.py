"""What was understood of a stream, beside what it said.

A verdict compares only one aspect of the turn, and only where nothing but the events can be to blame.
"""

from __future__ import annotations

from collections.abc import Callable

from conformance.model import AssistantTurn, Json, to_json
from conformance.rules.check import Finding, Verdicts, holds, same_json
from conformance.rules.shared.pairing import calls_understood
from conformance.transcript import Exchange

Aspect = Callable[[AssistantTurn], Json]
"""One thing that a turn says, as JSON."""


def plainly_delivered(x: Exchange) -> bool:
    """Whether nothing but the events themselves can be to blame: one event a chunk, or an example or recording."""
    return x.streamed and (x.delivery is None or x.delivery.name == "stream:per-event")


def understood_stream(x: Exchange) -> tuple[AssistantTurn, AssistantTurn] | None:
    """What a stream that ended well said, and what was understood of it."""
    if not plainly_delivered(x) or not x.complete or x.offered is None or x.turn is None:
        return None
    return (x.offered, x.turn) if x.offered.error is None else None


def differs(x: Exchange, at: str, aspect: Aspect) -> Finding | None:
    """A verdict on one aspect of a streamed turn. What is read just as wrongly without a stream is not its fault."""
    if x.offered is None or x.turn is None:
        return None
    expected, found = aspect(x.offered), aspect(x.turn)
    alike = expected == found or (x.twin is not None and aspect(x.twin) == found)
    return None if alike else Finding(at, expected, found)


def call_names(turn: AssistantTurn) -> Json:
    """The names of a turn's calls: what a finding about their number shows."""
    return [call.name for call in turn.calls]


def same_calls(x: Exchange) -> Finding | None:
    """A verdict on how many calls there are."""
    if x.offered is None or x.turn is None or len(x.offered.calls) == len(x.turn.calls):
        return None
    return differs(x, "/calls", call_names)


def any_calls(x: Exchange) -> Finding | None:
    """A verdict on whether calls that were offered were seen at all."""
    if x.turn is None or x.turn.calls:
        return None
    return differs(x, "/calls", call_names)


def same_arguments(x: Exchange) -> Verdicts:
    """A verdict on the arguments of each call that was understood."""
    yield from each_call(x, "arguments")


def each_call(x: Exchange, name: str) -> Verdicts:
    if x.offered is None or x.turn is None:
        return
    for place, own in enumerate(calls_understood(x.offered.calls, x.turn.calls)):
        if own is not None:
            expected, found = getattr(x.offered.calls[place], name), getattr(x.turn.calls[own], name)
            twin = x.twin.calls[own] if x.twin is not None and own < len(x.twin.calls) else None
            alike = expected == found or (twin is not None and getattr(twin, name) == found)
            yield holds(alike, f"/calls/{own}/{name}", expected, found)


def broken_end(turn: AssistantTurn) -> Json:
    """The stop of a turn that failed or was cut; nothing of one that ended well."""
    return turn.stop if turn.stop in ("incomplete", "error") else "a turn that ended"


def turn_difference(turn: AssistantTurn, expected: AssistantTurn, *, ids: bool) -> Finding | None:
    """The first place where two turns differ."""
    if turn is expected:
        return None
    return content_difference(turn, expected, ids=ids) or ending_difference(turn, expected)


def content_difference(turn: AssistantTurn, expected: AssistantTurn, *, ids: bool) -> Finding | None:
    for name in ("text", "refusal"):
        if getattr(turn, name) != getattr(expected, name):
            return Finding(f"/{name}", getattr(expected, name), getattr(turn, name))
    if len(turn.calls) != len(expected.calls):
        return Finding("/calls", [call.name for call in expected.calls], [call.name for call in turn.calls])
    for place, (call, wanted) in enumerate(zip(turn.calls, expected.calls, strict=True)):
        for name in ("id", "name", "invalid", "arguments", "raw"):
            one, other = getattr(wanted, name), getattr(call, name)
            if (ids or name != "id") and not same_json(one, other):
                return Finding(f"/calls/{place}/{name}", one, other)
    return None


def ending_difference(turn: AssistantTurn, expected: AssistantTurn) -> Finding | None:
    for name in ("stop", "usage", "error"):
        if getattr(turn, name) != getattr(expected, name):
            return Finding(f"/{name}", to_json(getattr(expected, name)), to_json(getattr(turn, name)))
    return None
