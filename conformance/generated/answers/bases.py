"""The turns that are changed: those of ``tables.yaml`` that a provider can say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.generated.answers.values import tables
from conformance.scenarios import turn_of
from conformance.script import ScriptTurn
from conformance.wires import card


def bases_of(provider: str) -> Mapping[str, ScriptTurn]:
    """By name, in the order in which they are tried."""
    return {name: turn_of(base["model"]) for name, base in tables()["bases"].items() if _can_say(provider, base)}


def _can_say(provider: str, base: Mapping[str, Any]) -> bool:
    own, model = card(provider), base["model"]
    needs = {
        "reasoning": "reasoning" in model,
        "server_tools": "search" in model,
        "refusal": "refusal" in model,
    }
    able = all(name in own.capabilities for name, needed in needs.items() if needed)
    return able and set(model.get("quirks", ())) <= own.quirks
