"""What belongs together: tools, calls and results as they were meant, and the same ones as they were sent or read.

Names and ids may change on the way, so neither alone decides. A pair that cannot be told for sure is left out: rules
then have nothing to examine, which is better than blaming the wrong thing.

A request may hold thousands of calls. So everything is looked up by what it is known by, and nothing is searched for
call by call.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeGuard, TypeVar

from conformance.model import AssistantTurn, Json, ResultsTurn, Tool, ToolCall, ToolResult
from conformance.transcript import Exchange, once
from conformance.wires.facts import Facts, Round, SentCall, SentResult, SentTool, items, obj
from conformance.wires.unanswered import unanswered_calls

T = TypeVar("T")


def usable(call_id: object) -> TypeGuard[str]:
    """Whether an id can be followed: text that is not empty."""
    return isinstance(call_id, str) and call_id != ""


def given_results(x: Exchange) -> list[Json]:
    """The ids of results that the provider itself gave: they go back as they came (Responses)."""
    given = [obj(item) for earlier in x.earlier for _, item in items(obj(earlier.answer).get("output"))]
    return [item.get("call_id") for item in given if str(item.get("type")).endswith("_output")]


# --- tools -----------------------------------------------------------------------------------------------------------


@once
def tool_pairs(x: Exchange) -> list[tuple[Tool, SentTool]]:
    """Each tool that the application describes, with its declaration."""
    if x.intent is None:
        return []
    tools = [tool for tool in x.intent.tools if tool.described]
    sent = list(x.facts.client_tools)
    described = {item.description: item for item in sent if isinstance(item.description, str) and item.description}
    wanted = [tool.description for tool in tools]
    if len(described) == len(sent) and len(set(wanted)) == len(wanted) and described.keys() == set(wanted):
        return [(tool, described[tool.description]) for tool in tools]  # a new name may be the old name of another tool
    if wanted == [item.description for item in sent]:
        return list(zip(tools, sent, strict=True))
    named = gathered(sent, lambda item: item.name)
    pairs: list[tuple[Tool, SentTool]] = []
    rest: list[Tool] = []
    for tool in tools:
        same = named.get(tool.name)
        if same:
            pairs.append((tool, same.popleft()))
        else:
            rest.append(tool)
    paired = {id(item) for _, item in pairs}
    left = [item for item in sent if id(item) not in paired]
    return pairs + (list(zip(rest, left, strict=True)) if len(rest) == len(left) else [])


# --- calls that were read ------------------------------------------------------------------------------------------


def calls_understood(offered: Sequence[ToolCall], read: Sequence[ToolCall]) -> list[int | None]:
    """For each offered call, the position of the call that was read for it, or ``None``.

    By id where the ids are the provider's own and tell the calls apart. Where ids were minted, and all calls are there,
    by name and arguments if these are the same in another order, else by position. An adapter may mint some of them
    alone.
    """
    if read is offered:
        return list(range(len(offered)))
    ids = [call.id for call in offered]
    own = {call.id: at for at, call in reversed(list(enumerate(read))) if usable(call.id)}
    places: list[int | None] = [None] * len(ids)
    if all(map(usable, ids)) and len(set(ids)) == len(ids):
        places = [own.get(call_id) for call_id in ids]
    if len(read) == len(offered):
        left = [at for at, place in enumerate(places) if place is None]
        free = sorted(set(range(len(read))).difference(places))
        again = _same_calls([offered[at] for at in left], [read[at] for at in free]) or range(len(free))
        for at, place in zip(left, again, strict=True):
            places[at] = free[place]
    return places


def _same_calls(offered: Sequence[ToolCall], read: Sequence[ToolCall]) -> list[int]:
    """The positions of the same calls in ``read``, or nothing if one is not there."""
    free = gathered(range(len(read)), lambda place: [read[place].name, read[place].arguments])
    places: list[int] = []
    for call in offered:
        same = free.get(known_by([call.name, call.arguments]))
        if not same:
            return []
        places.append(same.popleft())
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
    if "correlation" not in facts.index:
        facts.index["correlation"] = _correlated(facts)
    found: Correlation = facts.index["correlation"]
    return found


def _correlated(facts: Facts) -> Correlation:
    matching = _Matching(facts.results)
    for turn in facts.rounds:
        matching.by_id(turn.calls, [*turn.results, *turn.late])
    matching.by_id(facts.calls, facts.results)
    for turn in facts.rounds:
        matching.by_order(turn)
    matching.found.spare = list(matching.spare.values())
    return matching.found


class _Matching:
    """What was matched so far. ``spare`` are the results that answer nothing yet, by identity."""

    def __init__(self, results: Iterable[SentResult]) -> None:
        self.found = Correlation()
        self.spare = {id(result): result for result in results}

    def by_id(self, calls: Iterable[SentCall], results: Iterable[SentResult]) -> None:
        """The first result with a call's id answers it."""
        waiting = gathered((result for result in results if usable(result.ref)), lambda result: result.ref)
        for call in calls:
            if call.at not in self.found.answers and usable(call.id):
                self._answer(call, waiting.get(call.id))

    def by_order(self, turn: Round) -> None:
        """The first result with a call's name answers it, and then the first one."""
        ids = {call.id for call in turn.calls if isinstance(call.id, str) and usable(call.id)}
        items = [*turn.results, *turn.late]
        free = [item for item in items if not (isinstance(item.ref, str) and item.ref in ids)]
        named, all_free = gathered(free, lambda item: item.name), deque(free)
        for same_name in (True, False):
            for call in turn.calls:
                if call.at not in self.found.answers:
                    answer = self._answer(call, named.get(known_by(call.name)) if same_name else all_free)
                    if answer is not None and usable(answer.ref):
                        self.found.guessed.add(call.at)

    def _answer(self, call: SentCall, waiting: deque[SentResult] | None) -> SentResult | None:
        """Take the first of the results that is still spare."""
        while waiting:
            result = waiting.popleft()
            if self.spare.pop(id(result), None) is not None:
                self.found.answers[call.at] = result
                return result
        return None


def gathered(items: Iterable[T], name_of: Callable[[T], object]) -> dict[Hashable, deque[T]]:
    """The items that are known by the same, in their order."""
    found: defaultdict[Hashable, deque[T]] = defaultdict(deque)
    for item in items:
        found[known_by(name_of(item))].append(item)
    return dict(found)


def known_by(value: object) -> Hashable:
    """A JSON value as what is the same for equal values, and another for others. One that is too deep is known by
    itself alone."""
    try:
        return _frozen(value)
    except RecursionError:
        return object()


def _frozen(value: object) -> Hashable:
    if isinstance(value, Mapping):
        return frozenset([(name, _frozen(item)) for name, item in value.items()])
    if isinstance(value, list):
        return tuple([_frozen(item) for item in value])
    assert isinstance(value, Hashable)
    return value


# --- calls and results, meant and sent -------------------------------------------------------------------------------


@once
def call_pairs(x: Exchange) -> list[tuple[ToolCall, SentCall]]:
    """Each call of the intent's history with its replay: by id where it stayed the same, else in order."""
    if x.intent is None:
        return []
    meant = [call for turn in x.intent.turns if isinstance(turn, AssistantTurn) for call in turn.calls]
    sent = {id(call): call for call in x.facts.calls}
    known = gathered(x.facts.calls, lambda item: item.id)
    pairs: list[tuple[ToolCall, SentCall]] = []
    rest: list[ToolCall] = []
    times = Counter(call.id for call in meant)
    for call in meant:
        same = known.get(call.id)
        if same is not None and len(same) == 1 and times[call.id] == 1:
            pairs.append((call, same[0]))
            del sent[id(same[0])]
        else:
            rest.append(call)
    return pairs + (list(zip(rest, sent.values(), strict=True)) if len(rest) == len(sent) else [])


@once
def left_out(x: Exchange) -> frozenset[str]:
    """The ids of calls that the user passed over and that were not sent, which is right: the application's ids and the
    provider's."""
    passed_over = [call for _, call in unanswered_calls(x.intent)] if x.intent is not None else []
    if not passed_over:
        return frozenset()
    sent = {id(call) for call, _ in call_pairs(x)}
    own = {call.id for call in passed_over if id(call) not in sent}
    wire_ids = _wire_ids(x)
    return frozenset({*own, *(wire_ids.get(call_id, call_id) for call_id in own)})


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


@once
def answers(x: Exchange) -> list[ResultPair]:
    """The results of the intent with what was sent for them."""
    if x.intent is None:
        return []
    replays = {id(call): sent for call, sent in call_pairs(x)}
    found, wire_ids = correlate(x.facts), _wire_ids(x)
    sent_for = gathered(x.facts.results, lambda item: item.ref)
    calls: dict[str, SentCall | None] = {}
    pairs: list[ResultPair] = []
    for place, turn in enumerate(x.intent.turns):
        if isinstance(turn, AssistantTurn):  # of several calls with one id, the latest is meant
            calls |= {call.id: replays.get(id(call)) for call in turn.calls}
        for result in turn.results if isinstance(turn, ResultsTurn) else ():
            call = calls.get(result.call_id)
            if call is not None and call.at not in found.guessed:
                pairs.append(ResultPair(place, result, call, found.answers.get(call.at)))
            elif call is None and x.facts.is_partial:
                ref = wire_ids.get(result.call_id, result.call_id)
                sent = sent_for.get(ref)
                pairs.append(ResultPair(place, result, None, sent[0] if sent else None))
    return pairs


def by_turn(pairs: Iterable[ResultPair]) -> dict[int, list[ResultPair]]:
    """The results of each turn."""
    turns: defaultdict[int, list[ResultPair]] = defaultdict(list)
    for pair in pairs:
        turns[pair.turn].append(pair)
    return dict(turns)


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
