"""What stays in a conversation from request to request: its beginning, the model's words, every turn in its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass

from conformance.agents.findings import FindingTable
from conformance.agents.following import AnswerTrace
from conformance.wires.facts import Facts


@dataclass(slots=True)
class HistoryKeeper:
    """Holds each request of the task against those before. ``tasks`` are what the agent was asked."""

    tasks: Sequence[str]
    into: FindingTable
    _had_system: bool = False

    def examine(self, facts: Facts, traces: Sequence[AnswerTrace], heard: Set[int], excused: Set[int]) -> None:
        """Enter what a request has lost. ``heard`` are the numbers of the answers that earlier ones had, ``excused``
        those that it need not have."""
        if facts.is_partial or not any(one.seen for one in traces):
            self._had_system = self._had_system or bool(facts.system)
            return
        if self._had_system and not facts.system:
            self.into.add("agent.history.system-kept", "the system's words, as before", "none")
        if not says(facts, self.tasks):
            self.into.add("agent.history.task-kept", "what the user asked", "nothing of it")
        given = {one.answer.number for one in traces if one.seen}
        for one in traces:
            self._turn(facts, one, heard - given, excused)
        for earlier, later in _misplaced(facts, traces):
            expected = f"the calls of answer {earlier} before those of answer {later}"
            self.into.add("agent.history.in-order", expected, "them after those", answer=earlier)
        for earlier, later in _late_results(facts, traces):
            expected = f"the results of answer {earlier} before the calls of answer {later}, which came after them"
            self.into.add("agent.history.in-order", expected, "a result after those", answer=earlier)

    def _turn(self, facts: Facts, one: AnswerTrace, heard: Set[int], excused: Set[int]) -> None:
        number, words = one.answer.number, one.answer.says.text
        if number in excused:
            return
        if not one.seen and number in heard:
            self.into.add("agent.history.not-forgotten", f"answer {number + 1}, as before", "nothing of it")
        as_calls = any(trace.call is not None for trace in one.calls)
        if words and as_calls and not _said(words, _words_of(facts, "assistant")):
            self.into.add("agent.history.words-kept", words, "nothing of it", answer=number + 1)


def says(facts: Facts, tasks: Sequence[str]) -> bool:
    """Whether a request says one of the tasks."""
    return any(_said(task, _words_of(facts)) for task in tasks)


def _words_of(facts: Facts, role: str = "") -> Iterator[str]:
    for message in facts.messages:
        if role in ("", message.role):
            yield from (text for _, text in message.texts if isinstance(text, str))


def _said(words: str, texts: Iterable[str]) -> bool:
    wanted = " ".join(words.split())
    return any(wanted in " ".join(text.split()) for text in texts)


def _late_results(facts: Facts, traces: Sequence[AnswerTrace]) -> Iterator[tuple[int, int]]:
    """The numbers of answers of which a result stands after calls that were given out when it was there already. Only
    results that name their call are asked, because others are known by their place."""
    calls = {id(call): place for place, message in enumerate(facts.messages) for call in message.calls}
    results = {id(result): place for place, message in enumerate(facts.messages) for result in message.results}
    named = [
        (one.answer.number + 1, calls[id(trace.call)], results.get(id(trace.result), -1))
        for one in traces for trace in one.calls
        if trace.call is not None and trace.result is not None and trace.result.ref
    ]  # fmt: skip
    for number, _, place in named:
        later = [other for other, called, _ in named if other > number and called < place]
        if later:
            yield number, min(later)


def _misplaced(facts: Facts, traces: Sequence[AnswerTrace]) -> Iterator[tuple[int, int]]:
    """The numbers of answers whose calls stand in another order than they were given out."""
    places = {id(call): place for place, call in enumerate(facts.calls)}
    last, latest = -1, 0
    for one in traces:
        own = [places[id(trace.call)] for trace in one.calls if trace.call is not None]
        if own and min(own) < last:
            yield latest, one.answer.number + 1
        if own and max(own) > last:
            last, latest = max(own), one.answer.number + 1
