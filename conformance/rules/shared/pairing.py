"""What belongs together: tools, calls and results as they were meant, and the same ones as they were sent or read.

Names and ids may change on the way, so neither alone decides. A pair that cannot be told for sure is left out: rules
then have nothing to examine, which is better than blaming the wrong thing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from conformance.model import AssistantTurn, Json, ResultsTurn, Tool, ToolCall, ToolResult
from conformance.transcript import Exchange
from conformance.wires.facts import Facts, Round, SentCall, SentResult, SentTool


def usable(call_id: object) -> bool:
    """Whether an id can be followed: text that is not empty."""
    return isinstance(call_id, str) and call_id != ""


# --- tools -----------------------------------------------------------------------------------------------------------


def tool_pairs(x: Exchange) -> list[tuple[Tool, SentTool]]:
    """Each client tool of the intent with its declaration."""
    tools = [tool for tool in x.intent.tools if tool.builtin is None] if x.intent is not None else []
    sent = list(x.facts.functions)
    described = {item.description: item for item in sent if isinstance(item.description, str) and item.description}
    wanted = [tool.description for tool in tools]
    if len(described) == len(sent) and len(set(wanted)) == len(wanted) and described.keys() == set(wanted):
        return [(tool, described[tool.description]) for tool in tools]  # a new name may be the old name of another tool
    if wanted == [item.description for item in sent]:
        return list(zip(tools, sent, strict=True))
    pairs: list[tuple[Tool, SentTool]] = []
    rest: list[Tool] = []
    for tool in tools:
        own = next((item for item in sent if item.name == tool.name), None)
        if own is None:
            rest.append(tool)
        else:
            sent.remove(own)
            pairs.append((tool, own))
    return pairs + (list(zip(rest, sent, strict=True)) if len(rest) == len(sent) else [])


# --- calls that were read ------------------------------------------------------------------------------------------


def calls_understood(offered: Sequence[ToolCall], read: Sequence[ToolCall]) -> list[int | None]:
    """For each offered call, the position of the call that was read for it, or ``None``.

    By id where the ids are the provider's own and tell the calls apart. Where ids were minted, and all calls are there,
    by name and arguments if these are the same in another order, else by position. An adapter may mint some of them
    alone.
    """
    ids = [call.id for call in offered]
    own = [call.id for call in read]
    places: list[int | None] = [None] * len(ids)
    if all(map(usable, ids)) and len(set(ids)) == len(ids):
        places = [own.index(call_id) if call_id in own else None for call_id in ids]
    if len(read) == len(offered):
        left = [at for at, place in enumerate(places) if place is None]
        free = [at for at in range(len(read)) if at not in places]
        again = _same_calls([offered[at] for at in left], [read[at] for at in free]) or range(len(free))
        for at, place in zip(left, again, strict=True):
            places[at] = free[place]
    return places


def _same_calls(offered: Sequence[ToolCall], read: Sequence[ToolCall]) -> list[int]:
    """The positions of the same calls in ``read``, or nothing if one is not there."""
    free = list(range(len(read)))
    places: list[int] = []
    for call in offered:
        same = (place for place in free if (read[place].name, read[place].arguments) == (call.name, call.arguments))
        place = next(same, None)
        if place is None:
            return []
        free.remove(place)
        places.append(place)
    return places


# --- calls and results that were sent --------------------------------------------------------------------------------


@dataclass(slots=True)
class Correlation:
    """Which result of a request answers which call of it.

    ``answers`` holds a result for each answered call, by the call's pointer. ``guessed`` are the pointers of calls
    whose result names another id. ``spare`` are the results left over.
    """

    answers: dict[str, SentResult] = field(default_factory=dict)
    guessed: set[str] = field(default_factory=set)
    spare: list[SentResult] = field(default_factory=list)


def correlate(facts: Facts) -> Correlation:
    """Match results to calls: by id within a round, then by id anywhere, then by name and order within a round.

    The last step is for wires without ids. It also takes a result whose id is wrong for the one that it must be, so
    that a wrong id is not taken for a missing result.
    """
    found = Correlation(spare=list(facts.results))
    for turn in facts.rounds:
        _by_id(found, turn.calls, [*turn.results, *turn.late])
    _by_id(found, facts.calls, facts.results)
    for turn in facts.rounds:
        _by_order(found, turn)
    return found


def _by_id(found: Correlation, calls: Iterable[SentCall], results: Iterable[SentResult]) -> None:
    waiting = [result for result in results if usable(result.ref) and _among(result, found.spare)]
    for call in calls:
        if call.at in found.answers or not usable(call.id):
            continue
        answer = next((result for result in waiting if result.ref == call.id), None)
        if answer is not None:
            waiting = [result for result in waiting if result is not answer]
            _answer(found, call, answer)


def _by_order(found: Correlation, turn: Round) -> None:
    ids = [call.id for call in turn.calls if usable(call.id)]
    for same_name in (True, False):
        for call in turn.calls:
            if call.at in found.answers:
                continue
            free = [item for item in (*turn.results, *turn.late) if _among(item, found.spare) and item.ref not in ids]
            answer = next((item for item in free if not same_name or item.name == call.name), None)
            if answer is not None:
                _answer(found, call, answer)
                if usable(answer.ref):
                    found.guessed.add(call.at)


def _answer(found: Correlation, call: SentCall, result: SentResult) -> None:
    found.answers[call.at] = result
    found.spare = [item for item in found.spare if item is not result]


def _among(result: SentResult, results: Iterable[SentResult]) -> bool:
    return any(item is result for item in results)


# --- calls and results, meant and sent -------------------------------------------------------------------------------


def call_pairs(x: Exchange) -> list[tuple[ToolCall, SentCall]]:
    """Each call of the intent's history with its replay: by id where it stayed the same, else in order."""
    turns = x.intent.turns if x.intent is not None else ()
    meant = [call for turn in turns if isinstance(turn, AssistantTurn) for call in turn.calls]
    sent = {id(call): call for call in x.facts.calls}
    pairs: list[tuple[ToolCall, SentCall]] = []
    rest: list[ToolCall] = []
    ids = [call.id for call in meant]
    for call in meant:
        same = [item for item in sent.values() if item.id == call.id]
        if len(same) == 1 and ids.count(call.id) == 1:
            pairs.append((call, same[0]))
            del sent[id(same[0])]
        else:
            rest.append(call)
    return pairs + (list(zip(rest, sent.values(), strict=True)) if len(rest) == len(sent) else [])


@dataclass(frozen=True, slots=True)
class ResultPair:
    """A result that the adapter was asked to send, and where it is. ``sent`` is ``None`` when it is not there.

    ``turn`` is the position of its `ResultsTurn` in the conversation; ``call`` the replayed call, unless the provider
    holds it.
    """

    turn: int
    meant: ToolResult
    call: SentCall | None
    sent: SentResult | None


def answers(x: Exchange) -> list[ResultPair]:
    """The results of the intent with what was sent for them."""
    replays = {id(call): sent for call, sent in call_pairs(x)}
    found, wire_ids = correlate(x.facts), _wire_ids(x)
    calls: dict[str, SentCall | None] = {}
    gathered: list[ResultPair] = []
    for place, turn in enumerate(x.intent.turns if x.intent is not None else ()):
        if isinstance(turn, AssistantTurn):  # of several calls with one id, the latest is meant
            calls |= {call.id: replays.get(id(call)) for call in turn.calls}
        for result in turn.results if isinstance(turn, ResultsTurn) else ():
            call = calls.get(result.call_id)
            if call is not None and call.at not in found.guessed:
                gathered.append(ResultPair(place, result, call, found.answers.get(call.at)))
            elif call is None and x.facts.is_partial:
                ref: Json = wire_ids.get(result.call_id, result.call_id)
                sent = next((item for item in x.facts.results if item.ref == ref), None)
                gathered.append(ResultPair(place, result, None, sent))
    return gathered


def _wire_ids(x: Exchange) -> dict[str, str]:
    """The provider's ids of calls of earlier exchanges, by the ids that the adapter gave them."""
    ids: dict[str, str] = {}
    for earlier in x.earlier:
        if earlier.offered is not None and earlier.turn is not None:
            places = calls_understood(earlier.offered.calls, earlier.turn.calls)
            for call, place in zip(earlier.offered.calls, places, strict=True):
                if place is not None:
                    ids[earlier.turn.calls[place].id] = call.id
    return ids
