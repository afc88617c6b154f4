"""A few scenarios that stand for all: what another way into a library plays.

What is meant is the library's own work, which all its ways share. So each feature of the written scenarios is played
once: each family, each capability, each kind of answer (an HTTP error, a stream that breaks off, several calls).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from conformance.scenarios import Scenario
from conformance.script import ScriptTurn

PLAINEST = ("blocking", "stream:per-event")
"""How a selection is delivered: blocking, and by the plainest stream."""


def covering(scenarios: Iterable[Scenario]) -> Mapping[str, Scenario]:
    """The first scenarios that have a feature which none before them has; those with the most features come first.

    The order of what is given makes no difference.
    """
    told = {one.id: (one, frozenset(features(one))) for one in scenarios}
    chosen: dict[str, Scenario] = {}
    covered: set[tuple[str, str]] = set()
    for name, (scenario, has) in sorted(told.items(), key=lambda item: (-len(item[1][1]), item[0])):
        if has - covered:
            chosen[name] = scenario
            covered |= has
    return chosen


def features(scenario: Scenario) -> Iterator[tuple[str, str]]:
    """What makes a scenario differ from others for a library, in pairs of a kind and a word."""
    yield "family", scenario.family
    yield from (("needs", name) for name in scenario.needs)
    yield "choice", scenario.choice.mode
    yield "tools", "some" if scenario.tools else "none"
    for answer in scenario.answers:
        if not isinstance(answer, ScriptTurn):
            yield "answer", "error"
            continue
        yield "answer", "calls" if len(answer.calls) > 1 else "call" if answer.calls else "words"
        yield "stop", answer.stops_with
        broken = {"cut": answer.cut, "fails": answer.fails_with, "damaged": answer.damaged, "searches": answer.search}
        yield from (("stream", name) for name, value in broken.items() if value)
