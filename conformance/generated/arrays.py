"""Covering arrays: few rows in which all combinations of levels stand that can.

Each row begins with a combination that no row has yet. Then factor by factor takes the level that brings most new
combinations, as AETG does (Cohen, Dalal, Fredman, Patton 1997). How many each level would bring is one sum of integers
in which every level has its own digits, so that arrays of strength three take no more than minutes. Libraries for this
were tried: covertable needs minutes and half as many rows again for strength two.
"""

from __future__ import annotations

import random
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import combinations, product
from typing import get_args

from conformance.generated.factors import FACTORS, USUAL, Factor, FactorGroup, Row
from conformance.generated.rows import CONSTRAINTS, Condition, names_in, truth

LAYERS: tuple[FactorGroup, ...] = get_args(FactorGroup)
"""Arrays, one for each group: any two levels of which one is of the group. An adapter, or a format, that lacks what one
group asks for still has all rows of the others."""
DIGIT = 24
"""Bits that count for one level. There are fewer combinations of other factors than they can hold."""
TRIES = 40
"""How often a row that begins with one combination is tried before the combination is held to be impossible."""

FactorLevel = tuple[str, str]
"""A factor, and its level."""
Combination = tuple[FactorLevel, ...]
NamedRow = tuple[str, Row]


def layer(group: FactorGroup, strength: int = 2, *, candidates: int = 10) -> list[NamedRow]:
    """The rows of a group, with names: for what no earlier layer has."""
    factors = [factor for factor in FACTORS if factor.group in ("base", "settings" if group != "base" else "", group)]
    return covering_array(factors, strength, of=(group,), candidates=candidates)


def covering_array(
    factors: Sequence[Factor], strength: int, *, of: Collection[FactorGroup] = (), candidates: int = 1, seed: int = 0
) -> list[NamedRow]:
    """Rows in which any ``strength`` levels of as many factors stand together, where they can. The same every time.

    With ``of`` one of the factors must be of these groups. Of ``candidates`` rows the one that brings most is taken.
    Factors that are not given have their usual levels. A row is called after the combination with which it begins: no
    row before it has that.
    """
    left = possible(factors, strength)
    if of:
        names = {factor.name for factor in factors if factor.group in of}
        left = (one for one in left if any(name in names for name, _ in one))
    return list(_Search(factors, left, strength, candidates, seed).rows())


class _Search:
    """What is not covered yet. ``open`` has, for levels of all factors but one, a digit for each level of that one."""

    def __init__(
        self, factors: Sequence[Factor], left: Iterable[Combination], strength: int, candidates: int, seed: int
    ) -> None:
        self.factors = {factor.name: factor for factor in factors}
        self.order = {factor.name: place for place, factor in enumerate(factors)}
        self.fixed = {name: level for name, level in USUAL.items() if name not in self.factors}
        self.strength, self.candidates, self.chance = strength, candidates, random.Random(seed)
        self.open: dict[tuple[Combination, str], int] = {}
        self.about: dict[str, list[Condition]] = {
            name: [one for one in CONSTRAINTS if name in names_in(one)] for name in self.factors
        }
        self.left: dict[Combination, None] = dict.fromkeys(left)
        for one in self.left:
            self._count(one, 1)

    def rows(self) -> Iterator[NamedRow]:
        while self.left:
            beginning = next(iter(self.left))
            found = [row for row in (self._row(beginning) for _ in range(self.candidates)) if row is not None]
            if not found:
                found = [row for row in (self._row(beginning) for _ in range(TRIES)) if row is not None][:1]
            if not found:
                self._cover(beginning)  # it cannot be
                continue
            best = max(found, key=lambda row: len(self._new(row))) if len(found) > 1 else found[0]
            for one in self._new(best):
                self._cover(one)
            yield _name(beginning), best

    def _row(self, beginning: Combination) -> Row | None:
        row = {**self.fixed, **dict(beginning)}
        if any(not self._may(row, name) for name, _ in beginning):
            return None
        rest = [name for name in self.factors if name not in row]
        self.chance.shuffle(rest)
        known = sorted(beginning, key=self._place)
        for name in rest:
            level = self._level(row, name, known)
            if level is None:
                return None
            row[name] = level
            known = sorted((*known, (name, level)), key=self._place)
        return row

    def _level(self, row: dict[str, str], name: str, known: Sequence[FactorLevel]) -> str | None:
        """The level that brings most new combinations with what is known, of those that may be."""
        counts = sum(self.open.get((few, name), 0) for few in combinations(known, self.strength - 1))
        levels = list(enumerate(self.factors[name].levels))
        self.chance.shuffle(levels)
        levels.sort(key=lambda item: counts >> (item[0] * DIGIT) & ((1 << DIGIT) - 1), reverse=True)
        for _, level in levels:
            row[name] = level
            if self._may(row, name):
                return level
        del row[name]
        return None

    def _may(self, row: Row, name: str) -> bool:
        return all(truth(condition, row) is not False for condition in self.about[name])

    def _new(self, row: Row) -> list[Combination]:
        every = combinations(((name, row[name]) for name in self.factors), self.strength)
        return [one for one in every if one in self.left]

    def _cover(self, one: Combination) -> None:
        del self.left[one]
        self._count(one, -1)

    def _count(self, one: Combination, more: int) -> None:
        for place, (name, level) in enumerate(one):
            key = (one[:place] + one[place + 1 :], name)
            digit = self.factors[name].levels.index(level) * DIGIT
            self.open[key] = self.open.get(key, 0) + (more << digit)

    def _place(self, one: FactorLevel) -> int:
        return self.order[one[0]]


def _name(combination: Combination) -> str:
    return "_".join(re.sub(r"[^a-z0-9]+", "-", f"{name} {level}".lower()).strip("-") for name, level in combination)


def possible(factors: Sequence[Factor], strength: int) -> Iterator[Combination]:
    """Every combination of levels, those that make no sense too."""
    for chosen in combinations(factors, strength):
        yield from product(*([(factor.name, level) for level in factor.levels] for factor in chosen))


def combined(rows: Sequence[Row], factors: Sequence[Factor], strength: int) -> set[Combination]:
    """The combinations of levels that stand in the rows."""
    names = [factor.name for factor in factors]
    return {one for row in rows for one in combinations(((name, row[name]) for name in names), strength)}
