"""The families of rules, by the cards: a provider's card names the folder of its own rules."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from conformance.rules.groups import GROUPS
from conformance.wires import cards


class Prefix(NamedTuple):
    """What the first part of a rule's id says: its family, and the provider or group that it is about."""

    family: str
    providers: str


@cache
def families() -> tuple[str, ...]:
    """The folders of the rules, in the order in which they are listed."""
    return ("common", *dict.fromkeys(one.family for one in cards()))


@cache
def prefixes() -> Mapping[str, Prefix]:
    """By the first part of a rule's id, for all that a new rule may be about."""
    formats = {one.family: one for one in cards() if one.format == one.id}
    return (
        {"common": Prefix("common", "all")}
        | {family: Prefix(family, family if family in GROUPS else one.id) for family, one in formats.items()}
        | {one.id: Prefix(one.family, one.id) for one in cards() if one.format != one.id}
    )
