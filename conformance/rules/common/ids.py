"""Call ids, on every wire."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from conformance.model import AssistantTurn, ToolCall
from conformance.rules.check import Verdicts, check, holds
from conformance.rules.shared.pairing import (
    answers,
    by_turn,
    call_pairs,
    calls_understood,
    correlate,
    gathered,
    known_by,
    usable,
)
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
        taken |= _texts([call.id])


def _history_ids(x: Exchange) -> set[str]:
    """The ids of all calls before this answer."""
    turns = [earlier.turn for earlier in x.earlier] + list(x.intent.turns if x.intent is not None else ())
    return _texts(call.id for turn in turns if isinstance(turn, AssistantTurn) for call in turn.calls)


def _texts(ids: Iterable[object]) -> set[str]:
    """The ids that are text. What an adapter gives as an id may be anything."""
    return {one for one in ids if isinstance(one, str)}


@check("common.ids.verbatim-round-trip")
def verbatim_round_trip(x: Exchange) -> Verdicts:
    if x.previous is None or x.facts.document is None or not (x.facts.calls or x.intent):
        return
    replays = {call.id: sent for call, sent in call_pairs(x)}
    results = correlate(x.facts).answers
    same_call = _same_calls(x) if x.intent is None else None
    for call, own_id in _issued(x):
        sent = same_call(call) if same_call is not None else replays.get(own_id, replays.get(call.id))
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
        taken |= _texts(call.id for call in offered.calls)


def _foreign_ids(x: Exchange) -> set[str]:
    """The ids of calls in the intent's history that no earlier exchange brought."""
    turns = x.intent.turns if x.intent is not None else ()
    own = _texts(call.id for earlier in x.earlier if earlier.turn is not None for call in earlier.turn.calls)
    return _texts(call.id for turn in turns if isinstance(turn, AssistantTurn) for call in turn.calls) - own


def _same_calls(x: Exchange) -> Callable[[ToolCall], SentCall | None]:
    """Finds the replay of a call where nothing says what was meant: by its id, else by its name and arguments."""
    by_id = gathered(x.facts.calls, lambda sent: sent.id)
    same = gathered(x.facts.calls, lambda sent: [sent.name, sent.arguments])

    def same_call(call: ToolCall) -> SentCall | None:
        found = by_id.get(call.id) or same.get(known_by([call.name, call.arguments]))
        return found[0] if found else None

    return same_call


@check("common.ids.same-name-parallel-distinct", needs_intent=True)
def same_name_parallel_distinct(x: Exchange) -> Verdicts:
    """A result that carries nobody's text is not this rule's matter."""
    for turn in by_turn(answers(x)).values():
        texts = dict.fromkeys(own_text(answer.meant) for answer in turn)
        for answer in turn if len(texts) > 1 else ():
            text, sent = own_text(answer.meant), answer.sent
            if sent is None or sent.text is None:
                continue
            wrong = misplaced(sent.text, answer.meant, texts)
            if wrong or (text and carries(sent.text, text)):
                yield holds(not wrong, sent.content_at, text, sent.text)
