"""The providers, by id: their cards, and their wires. Both are imported when they are first asked for.

A provider is one room: the package ``wires/<room>`` holds all that is known of it (see CONTRIBUTING.md).
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from conformance.wires.card import Card

if TYPE_CHECKING:
    from conformance.wires.base import Wire

PROVIDERS = (
    "openai-chat",
    "openai-responses",
    "anthropic",
    "gemini",
    "ollama",
    "azure",
    "xai",
    "deepseek",
    "mistral",
    "unified",
)
"""Every provider's id, in the order of the matrix."""


class RoomError(Exception):
    """A provider's room says too little, or something unknown. The message names the module and the entry."""


@cache
def card(provider: str) -> Card:
    """The card of ``provider``. Raises `KeyError` for an id that is not in `PROVIDERS`."""
    found: Card = _room(provider, "card").CARD
    return found


@cache
def wire(provider: str) -> Wire:
    """The wire of ``provider``. Raises `KeyError` for an id that is not in `PROVIDERS`."""
    found: Wire = _room(provider, "wire").WIRE
    return found


def cards() -> tuple[Card, ...]:
    """The cards of all providers, in the order of the matrix."""
    return tuple(map(card, PROVIDERS))


def speakers(spoken: str) -> tuple[str, ...]:
    """The providers that speak the format of the provider ``spoken``."""
    return tuple(one.id for one in cards() if one.format == spoken)


def _room(provider: str, module: str) -> Any:
    if provider not in PROVIDERS:
        raise KeyError(provider)
    name = f"conformance.wires.{provider.replace('-', '_')}.{module}"
    try:
        return import_module(name)
    except TypeError as problem:  # a field of a `Card` or a `Wire` that is missing, or that there is not
        raise RoomError(f"{name}: {problem}") from None
