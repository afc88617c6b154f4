"""Streams that end too soon, on every wire."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.model import AssistantTurn, Json, ToolCall, to_json
from conformance.outcomes import OperationFailure
from conformance.rules.check import Finding, Verdicts, check, holds, same_json
from conformance.rules.shared.pairing import calls_understood
from conformance.transcript import Exchange
from conformance.wires.facts import object_of

ENDED = "incomplete: the body ended without the stream's last event"
LOST = "incomplete, or an exception: the connection was lost"


@check("common.stream.truncated-stream-not-complete")
def truncated_stream_not_complete(x: Exchange) -> Verdicts:
    """Arguments whose text is a whole object cannot change any more, whether or not the end of the call was seen.
    An object that came in pieces has no text, and may get more of them.

    A connection that was lost is told by raising, too; where a body just ends, nobody else would raise.
    """
    if x.lost and x.rightly_raised:
        yield None
    turns = _cut(x)
    if turns is None:
        return
    offered, turn = turns
    failed = x.lost and (turn.error is not None or turn.stop == "error")
    yield holds(failed or turn.stop == "incomplete", "/stop", LOST if x.lost else ENDED, turn.stop)
    for call, at, read in _read(offered, turn):
        if call.invalid:
            whole = object_of(call.sent) if call.sent and call.sent.strip() else None
            right = read.invalid or read.arguments is None or (bool(whole) and same_json(whole, read.arguments))
            yield holds(right, at, "a call that is marked invalid", to_json(read))


@check("common.stream.cut-turn-as-it-came")
def cut_turn_as_it_came(x: Exchange) -> Verdicts:
    """Whether anything is told after a cut is left open, and so is whether a whole call may be run then.

    Which kind a number has is the business of other rules.
    """
    turns = _cut(x)
    if turns is None:
        return
    offered, turn = turns
    if turn.text or turn.calls or turn.opaque is not None:
        yield holds("".join(offered.text.split()) == "".join(turn.text.split()), "/text", offered.text, turn.text)
    for call, at, read in _read(offered, turn):
        if not call.invalid:
            told = object_of(read.raw) if read.invalid else read.arguments
            yield holds(told is None or told == call.arguments, at, to_json(call), to_json(read))
        elif read.invalid and read.raw and call.raw:
            whole = object_of(call.raw)
            same = call.raw.strip() == read.raw.strip() or (whole is not None and whole == object_of(read.raw))
            yield holds(same, f"{at}/raw", call.raw, read.raw)


@check("common.stream.ended-calls-whole")
def ended_calls_whole(x: Exchange) -> Verdicts:
    """A call that is told as one that came whole may be kept from running all the same: that is the application's."""
    turns = _cut(x)
    if turns is None:
        return
    for call, at, read in _read(*turns):
        if not call.invalid:
            yield holds(not read.invalid, f"{at}/invalid", to_json(call), to_json(read))


def _cut(x: Exchange) -> tuple[AssistantTurn, AssistantTurn] | None:
    """What came of a stream before it broke off, and what was understood of it."""
    turn, offered = x.turn, x.offered
    if not x.streamed or x.complete or turn is None or offered is None or offered.error is not None or x.damaged:
        return None
    return offered, turn


def _read(offered: AssistantTurn, turn: AssistantTurn) -> Iterator[tuple[ToolCall, str, ToolCall]]:
    """Each call that came with the one that was read for it, if there is one."""
    for call, place in zip(offered.calls, calls_understood(offered.calls, turn.calls), strict=True):
        if place is not None:
            yield call, f"/calls/{place}", turn.calls[place]


@check("common.stream.damage-not-passed-over")
def damage_not_passed_over(x: Exchange) -> Verdicts:
    """Who raises tells it. So does who calls the turn unfinished or failed, and a call invalid that has lost something.

    Who has all that was said from another event has lost nothing.
    """
    if not x.damaged or (x.offered is not None and x.offered.error is not None):
        return
    if isinstance(x.understood, OperationFailure):
        yield None if x.rightly_raised else Finding("", "a turn, or what is wrong", x.understood.message)
    if x.turn is not None:
        unfinished = x.turn.error is not None or x.turn.stop in ("incomplete", "error")
        told = unfinished or any(call.invalid for call in x.turn.calls)
        lost = x.meant is None or _said(x.turn) != _said(x.meant)
        yield holds(told or not lost, "/stop", "incomplete, an error, or all that was said", x.turn.stop)


def _said(turn: AssistantTurn) -> Json:
    return [turn.text, turn.refusal, *([call.name, to_json(call.arguments)] for call in turn.calls)]
