"""Where a library turned: the release that broke a rule, or mended it.

Only the same case in two releases tells that. A rule that fails in a case which earlier releases could not play was not
broken: it was seen for the first time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from conformance.history.record import Rank, ReleaseRecord
from conformance.outcomes import Outcome

TurnKind = Literal["broke", "mended"]


@dataclass(frozen=True, slots=True)
class TurningPoint:
    """``after`` is the first release that came to something else in ``cases``; ``before`` is the last that judged them.

    ``between`` are releases that lie between them and did not judge them. ``was`` and ``now`` are the worst outcomes
    of the cases.
    """

    kind: TurnKind
    provider: str
    rule: str
    before: str
    after: str
    was: Outcome
    now: Outcome
    cases: tuple[str, ...]
    between: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PackageChange:
    """A package that is not the same in two environments. Empty: not there."""

    name: str
    before: str
    after: str


WORST: dict[Rank, Outcome] = {0: "pass", 1: "warn", 2: "fail"}


def turns(records: Sequence[ReleaseRecord]) -> list[TurningPoint]:
    """All turns, the newest first. ``records`` are in the order of their releases."""
    judged = [record for record in records if record.is_judged]
    order = {record.version: number for number, record in enumerate(records)}
    found = [turn for provider, rule in places(judged) for turn in _turns(judged, provider, rule, order, records)]
    return sorted(found, key=lambda one: (-order[one.after], -order[one.before], one.kind, one.provider, one.rule))


def places(records: Iterable[ReleaseRecord]) -> list[tuple[str, str]]:
    """The providers and rules of which any release says something."""
    found: dict[tuple[str, str], None] = {}
    for record in records:
        for provider, outcomes in record.cells.items():
            found.update(dict.fromkeys((provider, rule) for rule in outcomes))
    return list(found)


def _turns(
    judged: Sequence[ReleaseRecord], provider: str, rule: str, order: dict[str, int], records: Sequence[ReleaseRecord]
) -> Iterator[TurningPoint]:
    last: dict[str, tuple[str, Rank]] = {}
    changed: dict[tuple[TurnKind, str, str], list[tuple[str, Rank, Rank]]] = {}
    for record in judged:
        for case, rank in record.ranks(provider, rule).items():
            before = last.get(case)
            if before is not None and before[1] != rank:
                kind: TurnKind = "broke" if rank > before[1] else "mended"
                changed.setdefault((kind, before[0], record.version), []).append((case, before[1], rank))
            last[case] = (record.version, rank)
    for (kind, old, new), cases in changed.items():
        between = tuple(one.version for one in records[order[old] + 1 : order[new]])
        was, now = WORST[max(one[1] for one in cases)], WORST[max(one[2] for one in cases)]
        yield TurningPoint(kind, provider, rule, old, new, was, now, tuple(one[0] for one in cases), between)


def package_changes(before: ReleaseRecord, after: ReleaseRecord, own: str) -> list[PackageChange]:
    """What else changed from one environment to another: all but the library itself, called ``own`` in the index."""
    names = sorted({*before.packages, *after.packages} - {own})
    pairs = ((name, before.packages.get(name, ""), after.packages.get(name, "")) for name in names)
    return [PackageChange(*pair) for pair in pairs if pair[1] != pair[2]]


@dataclass(frozen=True, slots=True)
class Since:
    """What a rule comes to in the last release that was judged, and since which release. ``was`` is what it was before.

    ``first``: no earlier release was looked at, so it may be older.
    """

    outcome: Outcome
    version: str
    was: Outcome | None
    first: bool


def since(records: Sequence[ReleaseRecord], provider: str, rule: str) -> Since:
    """Since which release a rule comes to what it does now. What examined nothing is ``not_applicable``."""
    judged = [record for record in records if record.is_judged]
    told: list[Outcome] = [record.cells.get(provider, {}).get(rule, "not_applicable") for record in judged]
    start = len(told) - 1
    while start and told[start - 1] == told[-1]:
        start -= 1
    return Since(told[-1], judged[start].version, told[start - 1] if start else None, start == 0)
