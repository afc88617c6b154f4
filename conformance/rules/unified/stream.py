"""The gateway's own API: streams."""

from __future__ import annotations

from conformance.rules.check import Verdicts, check
from conformance.rules.shared.streams import broken_end, differs, same_arguments, same_calls, understood_stream
from conformance.transcript import Exchange


@check("unified.stream.event-grammar")
def event_grammar(x: Exchange) -> Verdicts:
    turns = understood_stream(x)
    if turns is None:
        return
    yield differs(x, "/stop", broken_end)
    if turns[0].calls:
        yield same_calls(x)
        yield from same_arguments(x)
