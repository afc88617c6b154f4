"""Replaying history, on every wire."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.rules.check import Finding, Verdicts, check
from conformance.rules.shared.pairing import usable
from conformance.transcript import Exchange
from conformance.wires.facts import Round, SentMessage


@check("common.history.call-replayed-before-result")
def call_replayed_before_result(x: Exchange) -> Verdicts:
    for turn in x.facts.rounds:
        if turn.results or turn.late:
            between = _between(x, turn)
            for message in between:
                yield Finding(message.at, "the results of the calls before", message.wire_role)
            if not between:
                yield None
    yield from _results_before_their_calls(x)


def _between(x: Exchange, turn: Round) -> list[SentMessage]:
    """What stands between calls and results without belonging there.

    On a wire that spreads a turn over items, ids alone tie results to calls, and nothing is lost.
    """
    return [] if x.facts.spread else [message for message in turn.between if message.role != "assistant"]


def _results_before_their_calls(x: Exchange) -> Iterator[Finding]:
    calls, seen = {call.id for call in x.facts.calls if isinstance(call.id, str)}, set[str]()
    for message in x.facts.messages:
        seen |= {call.id for call in message.calls if isinstance(call.id, str)}
        for result in message.results:
            if usable(result.ref) and result.ref in calls and result.ref not in seen:
                yield Finding(result.at, "the call before its result", result.ref)
