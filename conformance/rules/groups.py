"""Names for several providers at once, in a rule's ``providers``: what their cards have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache

from conformance.wires import cards
from conformance.wires.card import Card

GROUPS: Mapping[str, Callable[[Card], bool]] = {
    "all": lambda _: True,
    "chat": lambda card: card.format == "openai-chat",
    "text-streams": lambda card: "aws-event-stream" not in card.framings,
    "server-sent-events": lambda card: "sse" in card.framings,
    "exact-integers": lambda card: not card.forms.doubles,
    "strictness": lambda card: "strict" in card.capabilities,
    "server-tools": lambda card: "server_tools" in card.capabilities,
    "text-tools": lambda card: "text_tools" in card.capabilities,
    "provider-kinds": lambda card: "provider_kinds" in card.capabilities,
    "tool-choice": lambda card: "tool_choice" in card.capabilities,
    "parallel-switch": lambda card: "parallel_switch" in card.capabilities,
    "keyed": lambda card: bool(card.key.variables),
    "choice-needs-tools": lambda card: not card.takes.choice_without_tools,
}
"""By name: whether a provider is one of the group."""


@cache
def group(name: str) -> tuple[str, ...]:
    """The providers of a group, in the order of the matrix; ``name`` alone where it is none."""
    belongs = GROUPS.get(name)
    return (name,) if belongs is None else tuple(card.id for card in cards() if belongs(card))


def members(names: Iterable[str]) -> tuple[str, ...]:
    """The providers that are meant by names of providers and groups."""
    return tuple(provider for name in names for provider in group(name))
