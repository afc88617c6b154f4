"""The turns that are changed: those of ``tables.yaml`` that a provider can say, and what comes after them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from conformance.derivation.values import tables
from conformance.model import TextPart, Tool
from conformance.scenarios import AnswerStep, ResultsStep, ScriptResult, Shelf, Step, UserStep, turn_of
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


def base_tools(name: str, shelf: Shelf) -> tuple[Tool, ...]:
    """The tools that the scenario declares."""
    return tuple(
        shelf.tools[tool] if isinstance(tool, str) else Tool(**tool)
        for tool in (*tables()["bases"][name].get("tools", ()), "read_file")
    )


def base_steps(turn: ScriptTurn, *, last: bool) -> Iterator[Step]:
    """The turn and what comes after it: results, or another question."""
    labels = [chr(ord("a") + number) for number, _ in enumerate(turn.calls)]
    yield AnswerStep(turn, tuple(labels))
    if turn.calls:
        yield ResultsStep(tuple(ScriptResult(label, (TextPart("hello"),)) for label in labels))
    elif not last:
        yield UserStep("Say it again.")
