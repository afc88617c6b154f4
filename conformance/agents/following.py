"""Following a conversation by what was given out: where each issued call stands in a request, and what is wrong there.

Calls are known by their ids. Where a client gives none back (some do not on Gemini), by name and arguments, then by
arguments alone; where calls and results became words, by their ids or their own words in a text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import takewhile

from conformance.agents.effects import admits_failure, points_back, problem_of, shows
from conformance.agents.findings import FindingTable
from conformance.agents.script import CHANGING, Effect, RoleAnswer, RoleCall
from conformance.http import Request
from conformance.model import TEXT_INPUT, Json, compact_json
from conformance.script import ScriptCall
from conformance.server.compaction import sealed_calls
from conformance.server.telling import ScenarioExchange
from conformance.wires.facts import Facts, SentCall, SentResult, obj

TELLING = 12
"""From this many characters on, a word of a call's arguments tells that a text speaks of the call."""


@dataclass(slots=True)
class IssuedCall:
    """A call that was given out: what the script means, what was sent, and under which id."""

    meant: RoleCall
    sent: ScriptCall
    id: str = ""

    def is_in(self, text: str) -> bool:
        """Whether a text speaks of the call or of its result."""
        own = [value for value in self.meant.values.values() if isinstance(value, str) and len(value) >= TELLING]
        ids = [self.id] if self.id else []
        return any(shows(text, mark) for mark in (*ids, *own, *self.meant.effect.shows))


@dataclass(slots=True)
class IssuedAnswer:
    """An answer that was given out: its number in the script. Without an exchange the request was turned away."""

    number: int
    says: RoleAnswer
    calls: tuple[IssuedCall, ...]
    exchange: ScenarioExchange | None = None
    asked: Json = None
    """The request that it answered."""
    ends: bool = False
    """Whether the agent may end after it: last words, or a call that finishes."""


@dataclass(slots=True)
class CallTrace:
    """Where an issued call stands in a request."""

    call: SentCall | None = None
    result: SentResult | None = None
    in_text: bool = False
    packed: bool = False
    """Whether the provider has packed it, with all that came before (`conformance.server.compaction`)."""

    @property
    def seen(self) -> bool:
        """Whether it does."""
        return self.call is not None or self.result is not None or self.in_text or self.packed


@dataclass(slots=True)
class AnswerTrace:
    """Where the calls of an issued answer stand."""

    answer: IssuedAnswer
    calls: list[CallTrace] = field(default_factory=list)

    @property
    def seen(self) -> bool:
        """Whether any of them does."""
        return any(trace.seen for trace in self.calls)


def traced(issued: Sequence[IssuedAnswer], facts: Facts) -> list[AnswerTrace]:
    """Where all calls that were given out stand in a request."""
    texts = [text for _, text in _texts(facts)]
    found = [AnswerTrace(answer, [CallTrace() for _ in answer.calls]) for answer in issued]
    pairs = [(call, trace) for one in found for call, trace in zip(one.answer.calls, one.calls, strict=True)]
    _find_calls(pairs, facts)
    _find_results(pairs, facts)
    packed = {name for seal in facts.packed for name in sealed_calls(seal)}
    for call, trace in pairs:
        trace.packed = call.id in packed
        trace.in_text = not trace.seen and any(call.is_in(text) for text in texts)
    return found


def _texts(facts: Facts) -> Iterator[tuple[str, str]]:
    for message in facts.messages:
        yield from ((at, text) for at, text in message.texts if isinstance(text, str))


CallPairs = Sequence[tuple[IssuedCall, CallTrace]]


def _find_calls(pairs: CallPairs, facts: Facts) -> None:
    left = list(facts.calls)

    def take(fits: str) -> None:
        for call, trace in pairs:
            if trace.call is None:
                trace.call = next((sent for sent in left if _fits(fits, call, sent)), None)
                if trace.call is not None:
                    left.remove(trace.call)

    for way in ("id", "name and arguments", "arguments", "name", "order"):
        take(way)


def _fits(way: str, call: IssuedCall, sent: SentCall) -> bool:
    if way == "id":
        return call.id != "" and bool(sent.id == call.id)
    if isinstance(sent.id, str) and way in ("name", "order"):
        return False  # it has an id, and it is another's
    same, named = _same_arguments(call, sent), bool(sent.name == call.sent.tool)
    return {"name and arguments": named and same, "arguments": same, "name": named, "order": True}[way]


def _same_arguments(call: IssuedCall, sent: SentCall) -> bool:
    if sent.takes_text:
        return bool(sent.raw == obj(call.sent.arguments).get(TEXT_INPUT))
    return bool(sent.arguments == call.sent.arguments)


def _find_results(pairs: CallPairs, facts: Facts) -> None:
    left = list(facts.results)
    for call, trace in pairs:
        ids = [call.id] if call.id else []
        ids += [trace.call.id] if trace.call is not None and isinstance(trace.call.id, str) else []
        trace.result = next((result for result in left if result.ref in ids and result.ref is not None), None)
        if trace.result is not None:
            left.remove(trace.result)
    unnamed = [result for result in left if result.ref is None]
    for call, trace in pairs:  # without ids, results of one name come in the order of its calls
        if trace.result is None and trace.call is not None:
            names = (trace.call.name, call.sent.tool)
            trace.result = next((one for one in unnamed if one.name is None or one.name in names), None)
            if trace.result is not None:
                unnamed.remove(trace.result)


def refused(traces: Sequence[AnswerTrace]) -> Iterator[IssuedCall]:
    """The calls that were to change something, and of which the agent says that they were not done."""
    for one in traces:
        for call, trace in zip(one.answer.calls, one.calls, strict=True):
            result = trace.result if call.meant.role in CHANGING and call.meant.effect.succeeds else None
            if result is not None and isinstance(result.text, str) and admits_failure(result.text, result.error):
                yield call


# --- what is wrong ---------------------------------------------------------------------------------------------------


NOT_GIVEN: Mapping[bool, tuple[str, str]] = {
    True: ("agent.history.broken-call-not-made", "no call of a stream that broke off"),
    False: ("agent.history.no-made-up-call", "the calls that were given out"),
}
"""What a call is that nobody gave out whole, where a stream with calls broke off, and where none did."""


@dataclass(frozen=True, slots=True)
class Examination:
    """One request, held against what was given out. ``unchanged`` are files that a call was to change and did not: what
    is read of them is not known."""

    facts: Facts
    request: Request
    unchanged: Set[str]
    into: FindingTable
    excused: Set[int] = frozenset()
    """The numbers of answers that the client need not know."""

    def of(self, traces: Sequence[AnswerTrace], *, broken: bool = False) -> None:
        """Enter what a request did with what was given out. Answers that it does not know were never heard.

        ``broken`` says that a stream with calls broke off: a call that nobody gave out whole is one of those.
        """
        for one in traces:
            if one.seen:
                self._answer(one)
        known = [trace.call for one in traces for trace in one.calls]
        for sent in self.facts.calls:
            if not any(sent is call for call in known):
                rule, expected = NOT_GIVEN[broken]
                self.into.add(rule, expected, f"{sent.name} {compact_json(sent.raw)}", at=sent.at)

    def _answer(self, one: AnswerTrace) -> None:
        number = one.answer.number + 1
        for call, trace in zip(one.answer.calls, one.calls, strict=True):
            named = f"the call of {call.sent.tool} ({call.meant.role}) in answer {number}"
            if trace.call is None and trace.result is None and not self._may_miss(one.answer.number):
                rule = "agent.history.not-flattened" if trace.in_text else "agent.history.call-kept"
                self.into.add(rule, named, "words" if trace.in_text else "nothing of it", answer=number)
            if trace.call is not None and _is_rewritten(call, trace.call):
                found = f"{trace.call.name} {compact_json(trace.call.raw)}"
                self.into.add("agent.history.call-kept", named, found, at=trace.call.at, answer=number)
            if trace.result is not None:
                self._result(one, call, trace.result)

    def _may_miss(self, number: int) -> bool:
        return self.facts.is_partial or number in self.excused

    def _result(self, one: AnswerTrace, call: IssuedCall, result: SentResult) -> None:
        number, said, effect = one.answer.number + 1, list(call.meant.values.values()), call.meant.effect
        if any(name in str(said) for name in self.unchanged) or self._said_before(effect, result):
            effect = replace(effect, shows=(), long="")
        problem = problem_of(effect, result, self.request, said, _beside(result, self.facts))
        if problem is None:
            return
        rule, words = problem.rule, f"of {call.sent.tool} ({call.meant.role}) in answer {number}: {problem.expected}"
        rule = "agent.result.of-its-call" if _is_of_another(one, call, result) else rule
        self.into.add(rule, words, problem.found, at=result.at, answer=number)

    def _said_before(self, effect: Effect, result: SentResult) -> bool:
        """Whether a result says that an earlier one has it all, and it does."""
        earlier = list(takewhile(lambda one: one is not result, self.facts.results))
        texts = [one.text for one in earlier if isinstance(one.text, str)]
        known = all(any(shows(text, mark) for text in texts) for mark in effect.shows)
        return known and isinstance(result.text, str) and points_back(result.text)


def _is_rewritten(call: IssuedCall, sent: SentCall) -> bool:
    """Whether a call without an id is known by its place alone: the rules that compare calls have no id to go by."""
    return sent.id is None and sent.name != call.sent.tool and not _same_arguments(call, sent)


def _beside(result: SentResult, facts: Facts) -> str:
    """What is said from the message of a result on until the model speaks again."""
    place = next((place for place, message in enumerate(facts.messages) if result in message.results), 0)
    rest = takewhile(lambda message: message.role != "assistant", facts.messages[place:])
    return "\n".join(text for message in rest for _, text in message.texts if isinstance(text, str))


def _is_of_another(one: AnswerTrace, call: IssuedCall, result: SentResult) -> bool:
    """Whether a result says what another call of the same answer gives, and nothing of its own."""
    text = result.text if isinstance(result.text, str) else ""
    own = call.meant.effect.shows
    if any(shows(text, mark) for mark in own):
        return False
    others: Mapping[str, IssuedCall] = {
        mark: other for other in one.answer.calls if other is not call for mark in other.meant.effect.shows
    }
    return any(shows(text, mark) for mark in others if mark not in own)
