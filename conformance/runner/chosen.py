"""The selection: the cases that a run plays of an adapter, where there are more than `MOST`, unless all are asked for.

A case is taken before another by the first of these that tells them apart:

1. it kills a mutant in the last full self-test (`conformance.mutants.kills`): of each mutant the shortest such case.
   Where the data does not tell, each case of a written scenario is one: mutants are played in no others.
2. it is the plain delivery, blocking or event by event, of a written scenario on a provider; where a scenario has
   none, its first one,
3. its scenario is for a rule that no case before it is for,
4. its scenario was written,
5. its scenario is shorter: fewer answers, fewer steps, fewer tools.

So every provider, written scenario and rule has its cases, and what is left out are deliveries and generated scenarios.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from conformance.engine.cases import DERIVED, Group
from conformance.scenarios.outlines import Outline

MOST = 20_000
"""How many cases of an adapter a run plays, unless it is told to play all."""

PLAIN = ("blocking", "stream:per-event")

KillingCases = Mapping[str, Collection[str]]
"""By provider the cases, as ``scenario/delivery``, of which each kills a mutant that no other need to kill."""


@dataclass(frozen=True, slots=True)
class _Case:
    group: Group
    delivery: str
    scenario: Outline
    kills: bool

    @property
    def written(self) -> bool:
        return self.scenario.family not in DERIVED

    @property
    def rank(self) -> tuple[object, ...]:
        """Its place before rules are looked at."""
        return (not self.kills, not self.plain, not self.written, *self.scenario.length, self.scenario.id)

    @property
    def plain(self) -> bool:
        """Whether it is a written scenario's plain delivery; where there is none, the first that there is."""
        names = self.group.deliveries
        plain = [name for name in names if name in PLAIN] or names[:1]
        return self.written and self.delivery in plain


def chosen_groups(
    planned: Sequence[Group], scenarios: Mapping[str, Outline], killing: KillingCases | None, most: int = MOST
) -> tuple[Group, ...]:
    """The groups with what is chosen of each adapter's cases. Those that cannot be played stay: they cost nothing.

    ``killing`` is ``None`` where nothing is known of mutants.
    """
    found: list[Group] = []
    for _, own in groupby(planned, key=lambda group: group.address):
        groups = list(own)
        cases = list(_cases(groups, scenarios, killing))
        found += groups if len(cases) <= most else _kept(groups, _first(cases, most))
    return tuple(found)


def _cases(
    groups: Iterable[Group], scenarios: Mapping[str, Outline], killing: KillingCases | None
) -> Iterator[_Case]:
    for group in groups:
        scenario = scenarios[group.scenario]
        for delivery in group.deliveries if not group.unsupported else ():
            known = killing.get(group.provider) if killing is not None else None
            kills = scenario.family not in DERIVED if known is None else f"{scenario.id}/{delivery}" in known
            yield _Case(group, delivery, scenario, kills)


def _first(cases: Iterable[_Case], most: int) -> set[tuple[Group, str]]:
    """The cases that come first. A case that is the first one for a rule comes before those that only are written."""
    ranked = sorted(cases, key=lambda case: case.rank)
    covered: set[str] = set()
    first: list[_Case] = []
    others: list[_Case] = []
    for case in ranked:
        news = not covered.issuperset(case.scenario.rules)
        covered.update(case.scenario.rules)
        needed = case.kills or case.plain or news
        (first if needed else others).append(case)
    return {(case.group, case.delivery) for case in [*first, *others][:most]}


def _kept(groups: Iterable[Group], chosen: Collection[tuple[Group, str]]) -> Iterator[Group]:
    for group in groups:
        deliveries = tuple(name for name in group.deliveries if group.unsupported or (group, name) in chosen)
        if deliveries:
            yield replace(group, deliveries=deliveries)
