"""Call ids, on every wire."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.model import AssistantTurn, ToolCall
from conformance.rules.check import Verdicts, check, holds
from conformance.rules.shared.pairing import answers, call_pairs, calls_understood, correlate, usable
from conformance.rules.shared.texts import carries, misplaced, own_text
from conformance.transcript import Exchange
from conformance.wires.facts import SentCall


@check("common.ids.unique-in-conversation")
def unique_in_conversation(x: Exchange) -> Verdicts:
    if x.parsed is None:
        return
    taken = _history_ids(x)
    for place, call in enumerate(x.parsed.calls):
        fresh = usable(call.id) and call.id not in taken
        yield holds(fresh, f"/calls/{place}/id", "an id of its own", call.id)
        taken.append(call.id)


def _history_ids(x: Exchange) -> list[object]:
    """The ids of all calls before this answer. A list, because what an adapter gives as an id may be anything."""
    turns = [earlier.turn for earlier in x.earlier] + list(x.intent.turns if x.intent is not None else ())
    return [call.id for turn in turns if isinstance(turn, AssistantTurn) for call in turn.calls]


@check("common.ids.verbatim-round-trip")
def verbatim_round_trip(x: Exchange) -> Verdicts:
    if x.previous is None or x.facts.document is None:
        return
    replays = {call.id: sent for call, sent in call_pairs(x)}
    results = correlate(x.facts).answers
    for call, own_id in _issued(x):
        sent = replays.get(own_id, replays.get(call.id)) if x.intent is not None else _same_call(x, call)
        if sent is None or not usable(sent.id):
            continue
        yield holds(sent.id == call.id, sent.id_at, call.id, sent.id)
        result = results.get(sent.at)
        if result is not None and usable(result.ref) and (sent.id == call.id or result.ref != sent.id):
            yield holds(result.ref == call.id, result.ref_at, call.id, result.ref)


def _issued(x: Exchange) -> Iterator[tuple[ToolCall, str]]:
    """The calls of earlier exchanges whose ids were usable, with the ids that the adapter gave them.

    An id that had been used before may have been replaced, so it is left out.
    """
    taken = _foreign_ids(x)
    for earlier in x.earlier:
        offered = earlier.offered
        if offered is None:
            continue
        read = earlier.turn.calls if earlier.turn is not None else offered.calls
        places = calls_understood(offered.calls, read)
        for call, place in zip(offered.calls, places, strict=True):
            if earlier.usable_ids and earlier.complete and place is not None and call.id not in taken:
                yield call, read[place].id
        taken += [call.id for call in offered.calls]


def _foreign_ids(x: Exchange) -> list[str]:
    """The ids of calls in the intent's history that no earlier exchange brought."""
    turns = x.intent.turns if x.intent is not None else ()
    own = [call.id for earlier in x.earlier if earlier.turn is not None for call in earlier.turn.calls]
    return [call.id for turn in turns if isinstance(turn, AssistantTurn) for call in turn.calls if call.id not in own]


def _same_call(x: Exchange, call: ToolCall) -> SentCall | None:
    """The replay of ``call`` where nothing says what was meant: by its id, else by its name and arguments."""
    by_id = [sent for sent in x.facts.calls if sent.id == call.id]
    same = [sent for sent in x.facts.calls if sent.name == call.name and sent.arguments == call.arguments]
    return next(iter(by_id or same), None)


@check("common.ids.same-name-parallel-distinct", needs_intent=True)
def same_name_parallel_distinct(x: Exchange) -> Verdicts:
    """A result that carries nobody's text is not this rule's matter."""
    everything = answers(x)
    for answer in everything:
        siblings = [other.meant for other in everything if other.turn == answer.turn and other is not answer]
        text, sent = own_text(answer.meant), answer.sent
        if sent is None or sent.text is None or not any(own_text(other) != text for other in siblings):
            continue
        wrong = misplaced(sent.text, answer.meant, siblings)
        if wrong or (text and carries(sent.text, text)):
            yield holds(not wrong, sent.content_at, text, sent.text)
