"""The families of rules, by the cards: a provider's card names the folder of its own rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple

from conformance.wires import PROVIDERS, cards, speakers


class Prefix(NamedTuple):
    """What the first part of a rule's id says: the family, and the providers that it is about, by a name of theirs."""

    family: str
    providers: str


@cache
def families() -> tuple[str, ...]:
    """The folders of the rules, in the order in which they are listed."""
    return ("common", *dict.fromkeys(one.family for one in cards()))


@cache
def groups() -> Mapping[str, tuple[str, ...]]:
    """Names for several providers at once: all of them, and the family of a format that several speak."""
    spoken = {one.family: speakers(one.id) for one in cards() if one.family not in PROVIDERS}
    return {"all": PROVIDERS} | {family: those for family, those in spoken.items() if len(those) > 1}


def providers_named(names: Iterable[str]) -> tuple[str, ...]:
    """The providers that ``names`` mean, each a provider's id or a group of them."""
    return tuple(provider for name in names for provider in groups().get(name, (name,)))


@cache
def prefixes() -> Mapping[str, Prefix]:
    """By the first part of a rule's id, for all that a new rule may be about."""
    formats = {one.family: one for one in cards() if one.format == one.id}
    return (
        {"common": Prefix("common", "all")}
        | {family: Prefix(family, family if family in groups() else one.id) for family, one in formats.items()}
        | {one.id: Prefix(one.family, one.id) for one in cards() if one.format != one.id}
    )
