"""Finding, by halving, the release that broke a rule or mended it.

First two releases are looked for in which the same case comes to something else: the newest, and the nearest of those
1, 2, 4, 8 … before it. That case, the *witness*, is then played in the release in the middle, and so on. A release that
cannot say anything is gone round. Halving alone would not see a library that went to and fro, so some more releases are
asked at the end, in the middle of the widest gaps. If they show another turn, it is the newest one that is looked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from conformance.history.turns import TurnKind

CaseVerdict = Literal["holds", "broken"]
"""What a case says of the rule in a release. A warning is a breach, too."""
CaseVerdicts = Mapping[str, CaseVerdict]
"""By case. Empty where a release says nothing."""
CaseQuestion = Callable[[int, str | None], CaseVerdicts]
"""Plays the release of a number: all cases, or one of them."""


@dataclass
class Bisection:
    """What was found between ``count`` releases, which are told by their numbers, the oldest first.

    ``before`` and ``after`` are the two releases between which the witness turned; what lies between them said nothing.
    ``seen`` is what the witness came to in each release that was asked, ``turned`` where it came to something else than
    in the release before that was asked: more than one is a library that went to and fro.
    """

    count: int
    kind: TurnKind | None = None
    witness: str = ""
    others: tuple[str, ...] = ()
    before: int = -1
    after: int = -1
    seen: dict[int, CaseVerdict] = field(default_factory=dict)
    silent: set[int] = field(default_factory=set)

    @property
    def found(self) -> bool:
        """Whether there is a turn."""
        return self.kind is not None

    @property
    def turned(self) -> list[tuple[int, int]]:
        """Where the witness came to something else, as far as it was asked: pairs of releases, the oldest first."""
        order = sorted(self.seen)
        return [(one, two) for one, two in pairwise(order) if self.seen[one] != self.seen[two]]


def bisect(count: int, ask: CaseQuestion, *, checks: int = 3, ends: bool = False) -> Bisection:
    """Look for the turn among ``count`` releases. ``ends``: between the first and the last, and nowhere else.

    ``checks`` releases more are asked at the end.
    """
    found = Bisection(count)
    told: dict[int, CaseVerdicts] = {}
    for number in [count - 1, 0] if ends else _backwards(count):
        verdicts = _telling(found, told, ask, number, upwards=ends and not number)
        changed = _changed(told, verdicts)
        if not changed:
            continue
        found.witness, *others = sorted(changed, key=lambda case: (len(case), case))
        found.others = tuple(others)
        found.seen = {one: own[found.witness] for one, own in told.items() if found.witness in own}
        _halve(found, ask)
        for more in _widest(found, checks):
            _ask(found, ask, more)
        _halve(found, ask)
        break
    return found


# --- two releases that differ ----------------------------------------------------------------------------------------


def _backwards(count: int) -> Iterator[int]:
    """The newest release, and those 1, 2, 4, 8 … before it, down to the oldest."""
    yield count - 1
    step = 1
    while step < count - 1:
        yield count - 1 - step
        step *= 2
    if count > 1:
        yield 0


def _telling(
    found: Bisection, told: dict[int, CaseVerdicts], ask: CaseQuestion, number: int, *, upwards: bool
) -> CaseVerdicts:
    """What a release says of all cases; where it says nothing, the next older one, or newer one."""
    while 0 <= number < found.count and number not in told:
        if number not in found.silent:
            verdicts = ask(number, None)
            if verdicts:
                told[number] = verdicts
                return verdicts
            found.silent.add(number)
        number += 1 if upwards else -1
    return {}


def _changed(told: Mapping[int, CaseVerdicts], verdicts: CaseVerdicts) -> list[str]:
    """The cases that came to something else in another release that was asked."""
    others = told.values()
    return [case for case, verdict in verdicts.items() if any(own.get(case, verdict) != verdict for own in others)]


# --- halving ---------------------------------------------------------------------------------------------------------


def _halve(found: Bisection, ask: CaseQuestion) -> None:
    """Halve between the newest two releases that differ, as far as they were asked."""
    low, high = found.turned[-1]
    while (middle := _asked_between(found, ask, low, high)) is not None:
        low, high = (middle, high) if found.seen[middle] == found.seen[low] else (low, middle)
    found.before, found.after = low, high
    found.kind = "broke" if found.seen[high] == "broken" else "mended"


def _asked_between(found: Bisection, ask: CaseQuestion, low: int, high: int) -> int | None:
    """A release between two that says something of the witness, the nearest to their middle."""
    for number in sorted(range(low + 1, high), key=lambda one: abs(2 * one - low - high)):
        if number not in found.silent and _ask(found, ask, number):
            return number
    return None


def _ask(found: Bisection, ask: CaseQuestion, number: int) -> bool:
    verdict = ask(number, found.witness).get(found.witness)
    if verdict is None:
        found.silent.add(number)
        return False
    found.seen[number] = verdict
    return True


def _widest(found: Bisection, checks: int) -> Iterator[int]:
    """The releases to ask once more, one after the other: the middle of the widest gap each time."""
    for _ in range(checks):
        known = sorted({-1, found.count, *found.seen, *found.silent})
        gaps = [(two - one, one, two) for one, two in pairwise(known) if two - one > 1]
        if not gaps:
            return
        _, one, two = max(gaps)
        yield (one + two) // 2
