"""Streams that end too soon, on every wire."""

from __future__ import annotations

from conformance.model import to_json
from conformance.rules.check import Verdicts, check, holds
from conformance.rules.shared.pairing import calls_understood
from conformance.transcript import Exchange


@check("common.stream.truncated-stream-not-complete")
def truncated_stream_not_complete(x: Exchange) -> Verdicts:
    turn, offered = x.turn, x.offered
    if not x.streamed or x.complete or turn is None or offered is None or offered.error is not None:
        return
    yield holds(turn.stop == "incomplete", "/stop", "incomplete", turn.stop)
    places = calls_understood(offered.calls, turn.calls)
    for call, place in zip(offered.calls, places, strict=True):
        if call.invalid and place is not None:
            read = turn.calls[place]
            right = read.invalid or read.arguments is None
            yield holds(right, f"/calls/{place}", "a call that is marked invalid", to_json(read))
