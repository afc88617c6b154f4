"""What is lost on the way: where a provider's format cannot say all that the neutral model says.

The words are in ``losses.yaml``. The laws (``tests/laws``) hold up to these losses and no others, and each of
them is shown to be real for exactly the providers that it names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Literal

import yaml

from conformance.rules.groups import members
from conformance.wires import card


@dataclass(frozen=True, slots=True)
class Loss:
    """One loss. ``side`` says where: in the ``request`` that is built, or in the ``answer`` that is read."""

    id: str
    side: Literal["request", "answer"]
    providers: tuple[str, ...]
    lost: str
    why: str
    source: tuple[str, ...]


@cache
def losses() -> Mapping[str, Loss]:
    """Every declared loss, by id."""
    text = (resources.files("conformance.rules") / "losses.yaml").read_bytes()
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    entries: list[dict[str, Any]] = yaml.load(text, Loader=loader)
    return {entry["id"]: _loss(entry) for entry in entries}


@cache
def losses_of(provider: str, side: Literal["request", "answer"]) -> frozenset[str]:
    """The ids of the losses that ``provider`` has on one side. Raises `KeyError` for an unknown provider."""
    own = card(provider).provider
    return frozenset(loss.id for loss in losses().values() if loss.side == side and own in loss.providers)


def _loss(entry: Mapping[str, Any]) -> Loss:
    providers = members(entry["providers"])
    return Loss(entry["id"], entry["side"], providers, entry["lost"], entry["why"], tuple(entry["source"]))
