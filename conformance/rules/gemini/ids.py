"""Gemini: ids that come, are missing, or were made up."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.model import AssistantTurn, Json
from conformance.rules.check import Verdicts, check, holds
from conformance.rules.gemini.documents import (
    replays,
    turns_with_calls,
)
from conformance.rules.shared.pairing import calls_understood, correlate, usable
from conformance.transcript import Exchange
from conformance.wires.facts import obj
from conformance.wires.gemini.keys import field_spelling, get


@check("gemini.ids.synthesised-when-missing")
def synthesised_when_missing(x: Exchange) -> Verdicts:
    turns = turns_with_calls(x)
    if turns is None:
        return
    offered, read = turns
    ids: list[Json] = []
    for call, place in zip(offered.calls, calls_understood(offered.calls, read.calls), strict=True):
        if place is not None:
            own = read.calls[place].id
            if not usable(call.id):
                yield holds(usable(own) and own not in ids, f"/calls/{place}/id", "an id of its own", own)
            ids.append(own)


def _replayed_calls(x: Exchange) -> Iterator[tuple[Json, str, Json]]:
    """The calls of earlier answers: (id as it was answered, pointer to the sent call, the sent call)."""
    for replay in replays(x):
        for answered, at, part in replay.calls:
            yield answered.get("id"), f"{at}/{field_spelling(part, 'functionCall')}", get(part, "functionCall")


@check("gemini.ids.echoed-when-present")
def echoed_when_present(x: Exchange) -> Verdicts:
    """An id that the conversation had before may have been replaced."""
    calls, results = list(_replayed_calls(x)), correlate(x.facts).answers
    known = [call_id for call_id, _, _ in calls] + _foreign_ids(x)
    for call_id, at, sent in calls:
        if not usable(call_id) or known.count(call_id) > 1:
            continue
        found = obj(sent).get("id")
        yield holds(found == call_id, f"{at}/id", call_id, found)
        if at in results:
            result = results[at]
            yield holds(result.ref == call_id, result.ref_at, call_id, result.ref)


def _foreign_ids(x: Exchange) -> list[Json]:
    """The ids of calls that no earlier exchange brought."""
    turns = x.intent.turns if x.intent is not None else ()
    own = [call.id for earlier in x.earlier if earlier.turn is not None for call in earlier.turn.calls]
    return [call.id for turn in turns if isinstance(turn, AssistantTurn) for call in turn.calls if call.id not in own]


@check("gemini.ids.synthetic-not-on-wire")
def synthetic_not_on_wire(x: Exchange) -> Verdicts:
    results = correlate(x.facts).answers
    for call_id, at, sent in _replayed_calls(x):
        if usable(call_id):
            continue
        found = obj(sent).get("id")
        yield holds(not found, f"{at}/id", "no id: the call came without", found)
        if at in results:
            result = results[at]
            yield holds(not result.ref, result.ref_at, "no id: the call came without", result.ref)
