"""The model's thinking in an SDK's own objects: those that a shim hands back, in `AssistantTurn.opaque`.

Each SDK has a module, called as its shim is.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module

from conformance.model import AssistantTurn
from conformance.wires import card


@dataclass(frozen=True, slots=True)
class Thoughts:
    """The text of the model's thinking, and the signatures or other seals that came with it."""

    text: str = ""
    seals: tuple[str, ...] = ()


def thoughts_in(turn: AssistantTurn, provider: str) -> Thoughts:
    """What the SDK of a provider kept of the model's thinking."""
    sdk = card(provider).sdk
    assert sdk is not None, f"{provider} has no SDK"
    found: Thoughts = import_module(f"{__name__}.{sdk.replace('-', '_')}").thoughts(turn)
    return found
