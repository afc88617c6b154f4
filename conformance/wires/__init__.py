"""The providers and the hosts, by id: their cards, and their wires. Both are made when they are first asked for.

A provider is one room: the package ``wires/<room>`` holds all that is known of it (see CONTRIBUTING.md). A host that
speaks a provider's format is one file, ``wires/hosts/<host>.toml`` (see docs/hosts.md). Four of them are providers.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from conformance.wires.card import Card
from conformance.wires.host import Host
from conformance.wires.host_file import HostError, Place
from conformance.wires.hosts import hosts

if TYPE_CHECKING:
    from conformance.wires.base import Wire

PROVIDERS = (
    "openai-chat",
    "openai-responses",
    "anthropic",
    "gemini",
    "ollama",
    "cohere",
    "bedrock",
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
    """The card of a provider or host. Raises `KeyError` for an id that there is not, `HostError` for a wrong file."""
    host = _relative(provider)
    if host is None:
        found: Card = _room(provider, "card").CARD
        return found
    base = card(host.wire)
    return host.card(base, provider if provider in PROVIDERS else base.provider)


@cache
def wire(provider: str) -> Wire:
    """The wire of a provider or host. Raises `KeyError` for an id that there is not, `HostError` for a wrong file."""
    host = _relative(provider)
    if host is None:
        found: Wire = _room(provider, "wire").WIRE
        return found
    return wire(host.wire).at(card(provider), host.section("deviations"))


def cards() -> tuple[Card, ...]:
    """The cards of all providers, in the order of the matrix."""
    return tuple(map(card, PROVIDERS))


@cache
def host_ids() -> tuple[str, ...]:
    """The hosts that are no providers: they are chosen by name."""
    return tuple(name for name in hosts() if name not in PROVIDERS)


@cache
def known_ids() -> tuple[str, ...]:
    """All that can be chosen by name: providers, then hosts."""
    return (*PROVIDERS, *host_ids())


def host_file(name: str) -> Host | None:
    """What is known of a provider or host beside its card: what it takes and refuses."""
    return hosts().get(name)


def _relative(name: str) -> Host | None:
    """The file that makes a provider or host out of another one's wire. Raises `HostError` if that is in a circle."""
    host = hosts().get(name)
    if host is None or host.is_provider_itself:
        return None
    trail, base = [name], hosts().get(host.wire)
    while base is not None and not base.is_provider_itself:
        trail.append(base.id)
        base = hosts().get(base.wire)
        if base is not None and base.id in trail:
            raise HostError(Place(host.file), f"its wire leads back to {base.id}: name a provider that has a room")
    if host.wire not in PROVIDERS and host.wire not in hosts():
        raise HostError(Place(host.file), f"there is no wire {host.wire!r}: use one of {', '.join(PROVIDERS)}")
    return host


def _room(provider: str, module: str) -> Any:
    if provider not in PROVIDERS:
        raise KeyError(provider)
    room = f"conformance.wires.{provider.replace('-', '_')}"
    if find_spec(room) is None:
        raise RoomError(f"{provider}: there is no room {room} and no file wires/hosts/{provider}.toml: add one of them")
    name = f"{room}.{module}"
    try:
        return import_module(name)
    except TypeError as problem:  # a field of a `Card` or a `Wire` that is missing, or that there is not
        raise RoomError(f"{name}: {problem}") from None
