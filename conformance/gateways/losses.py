"""What a format has no field for, so that no gateway can say it there. The words are in ``losses.yaml``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Literal

import yaml

from conformance.wires import card
from conformance.wires.facts import Facts

LossSide = Literal["request", "answer"]


@dataclass(frozen=True, slots=True)
class FormatLoss:
    """One of them. ``types`` are the official types that have no such ``field``, by format."""

    id: str
    side: LossSide
    formats: tuple[str, ...]
    lost: str
    why: str
    refusable: bool
    types: Mapping[str, str]
    field: str


@cache
def format_losses() -> Mapping[str, FormatLoss]:
    """All, by id."""
    entries = yaml.safe_load((resources.files("conformance.gateways") / "losses.yaml").read_bytes())
    made = (FormatLoss(**{**one, "formats": tuple(one["formats"])}) for one in entries)
    return {loss.id: loss for loss in made}


def refusable_losses(told: Facts, provider: str) -> Iterator[str]:
    """What a request asks for that a provider's format cannot say, and that a gateway may refuse therefore."""
    asked = {
        "one-at-a-time": told.parallel is False,
        "tool-choice": told.choice is not None and told.choice.mode != "auto",
        "picture-in-result": any(result.images for result in told.results),
    }
    yield from (name for name, is_asked in asked.items() if is_asked and lacks(provider, name))


def lacks(provider: str, name: str) -> bool:
    """Whether a provider's format has no field for something."""
    return card(provider).format in format_losses()[name].formats or provider in format_losses()[name].formats
