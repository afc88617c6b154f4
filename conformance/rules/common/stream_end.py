"""Streams that end too soon, on every wire."""

from __future__ import annotations

from conformance.model import AssistantTurn, Json, to_json
from conformance.outcomes import OperationFailure
from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.rules.shared.pairing import calls_understood
from conformance.transcript import Exchange


@check("common.stream.truncated-stream-not-complete")
def truncated_stream_not_complete(x: Exchange) -> Verdicts:
    turn, offered = x.turn, x.offered
    if not x.streamed or x.complete or turn is None or offered is None or offered.error is not None or x.damaged:
        return
    yield holds(turn.stop == "incomplete", "/stop", "incomplete", turn.stop)
    places = calls_understood(offered.calls, turn.calls)
    for call, place in zip(offered.calls, places, strict=True):
        if call.invalid and place is not None:
            read = turn.calls[place]
            right = read.invalid or read.arguments is None
            yield holds(right, f"/calls/{place}", "a call that is marked invalid", to_json(read))


@check("common.stream.damage-not-passed-over")
def damage_not_passed_over(x: Exchange) -> Verdicts:
    """Who raises tells it. So does who calls the turn unfinished or failed, and a call invalid that has lost something.

    Who has all that was said from another event has lost nothing.
    """
    if not x.damaged or (x.offered is not None and x.offered.error is not None):
        return
    if isinstance(x.understood, OperationFailure):
        yield None if x.raised_on_damage else Finding("", "a turn, or what is wrong", x.understood.message)
    if x.turn is not None:
        unfinished = x.turn.error is not None or x.turn.stop in ("incomplete", "error")
        told = unfinished or any(call.invalid for call in x.turn.calls)
        lost = x.meant is None or _said(x.turn) != _said(x.meant)
        yield holds(told or not lost, "/stop", "incomplete, an error, or all that was said", x.turn.stop)


def _said(turn: AssistantTurn) -> Json:
    return [turn.text, turn.refusal, *([call.name, to_json(call.arguments)] for call in turn.calls)]
