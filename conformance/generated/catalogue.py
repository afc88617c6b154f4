"""All generated scenarios: those that are kept as files, and those that are made when they are asked for."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator

from conformance.generated.arrays import LAYERS, NamedRow, layer
from conformance.generated.building import Builder
from conformance.generated.factors import FACTORS
from conformance.generated.rows import CONSTRAINTS, tidied, truth
from conformance.scenarios import Scenario, Shelf

BY_CHANCE = 200
"""How many scenarios a seed makes."""


def pair_scenarios() -> Iterator[Scenario]:
    """The scenarios of strength two, as ``scenarios/generated`` has them."""
    return built(row for group in LAYERS for row in layer(group))


def made_up(*, triples: bool, seed: int | None) -> Iterator[Scenario]:
    """The scenarios that no file has: of strength three, and by chance."""
    return built(made_up_rows(triples=triples, seed=seed))


def made_up_rows(*, triples: bool, seed: int | None) -> Iterator[NamedRow]:
    """Their rows. Those of strength three take a minute to make."""
    if triples:
        for group in LAYERS:
            yield from layer(group, 3, candidates=1)
    if seed is not None:
        yield from ((f"seed-{seed}-{number}", row) for number, row in enumerate(random_rows(seed, BY_CHANCE)))


def random_rows(seed: int, many: int) -> Iterator[dict[str, str]]:
    """Rows that make sense. What only some formats have is drawn seldom, or most rows would be played nowhere."""
    chance = random.Random(seed)
    while many:
        drawn = {}
        for factor in FACTORS:
            rare = factor.group not in ("base", "settings") and chance.random() < 0.9
            drawn[factor.name] = factor.levels[0] if rare else chance.choice(factor.levels)
        row = tidied(drawn)
        if all(truth(condition, row) for condition in CONSTRAINTS):
            many -= 1
            yield row


def built(rows: Iterable[NamedRow]) -> Iterator[Scenario]:
    """The scenarios of named rows."""
    images = tuple(Shelf.packaged().images.values())
    return (Builder(row, images).scenario(name) for name, row in rows)
