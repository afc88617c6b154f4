"""Sending results, on every wire: each call has one, and each result a call."""

from __future__ import annotations

from conformance.model import Json
from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.rules.shared.pairing import correlate, given_results, known_by, usable
from conformance.transcript import Exchange
from conformance.wires.facts import Round, items, obj


@check("common.result.exactly-one-per-call")
def exactly_one_per_call(x: Exchange) -> Verdicts:
    found = correlate(x.facts)
    ids = {call.id for call in x.facts.calls if isinstance(call.id, str)}
    named = bool(x.facts.calls)
    for turn in x.facts.rounds:
        for call in () if _passed_over(x, turn) else turn.calls:
            if call.kind is None:  # what the provider defined has rules of its own
                yield holds(call.at in found.answers, call.at, "one result for this call", "no result")
    for result in found.spare:
        if named and (not usable(result.ref) or result.ref in ids):
            yield Finding(result.at, "one result for each call", "one result more")


def _passed_over(x: Exchange, turn: Round) -> bool:
    """Whether the user went on without any result where that is taken, and nobody knows of a result."""
    unanswered = turn.closed and not turn.results and not turn.late
    return x.intent is None and x.card.takes.calls_passed_over and unanswered


@check("common.result.no-orphan")
def no_orphan(x: Exchange) -> Verdicts:
    known = [*(call.id for call in x.facts.calls), *_other_calls(x), *given_results(x)]
    ids = set(map(known_by, known))
    elsewhere = x.facts.is_partial or "conversation" in obj(x.facts.document)
    named = {known_by(call.name) for call in x.facts.calls if x.card.takes.results_by_name}
    all_usable = all(map(usable, known))
    with_provider = [call.id for earlier in x.earlier if earlier.offered for call in earlier.offered.calls]
    for result in x.facts.results:
        if not usable(result.ref):
            if not elsewhere:
                yield holds(bool(known), result.at, "a call that this result answers", "no call")
        elif result.ref in ids or known_by(result.name) in named or (elsewhere and result.ref in with_provider):
            yield None
        elif all_usable and not (elsewhere and x.previous is None):
            yield Finding(result.ref_at, "the id of a call in this request", result.ref)


def _other_calls(x: Exchange) -> list[Json]:
    """The ids of calls that are not function calls, such as ``tool_search_call`` in Responses."""
    input_items = [obj(item) for _, item in items(obj(x.facts.document).get("input"))]
    return [item.get("call_id") for item in input_items if str(item.get("type")).endswith("_call")]
