"""Telling a real model what the scenario wants: a prompt that scripts need not have, because scripts do not listen."""

from __future__ import annotations

from dataclasses import replace

from conformance.model import compact_json
from conformance.scenarios import AnswerStep, Scenario, UserStep
from conformance.script import ScriptTurn


def directed(scenario: Scenario) -> Scenario:
    """The scenario with every call that it expects spelled out where the user speaks."""
    steps = list(scenario.steps)
    asked: int | None = None
    wanted: list[str] = []
    for place, step in enumerate(scenario.steps):
        match step:
            case UserStep():
                asked, wanted = place, []
            case AnswerStep(ScriptTurn() as turn) if turn.calls and asked is not None:
                wanted.append(" and ".join(f"{call.tool}({compact_json(call.arguments or {})})" for call in turn.calls))
                steps[asked] = UserStep(f"{_text(scenario, asked)}\n\n{_directions(wanted)}")
    return replace(scenario, steps=tuple(steps))


def _text(scenario: Scenario, place: int) -> str:
    step = scenario.steps[place]
    return step.text if isinstance(step, UserStep) else ""


def _directions(wanted: list[str]) -> str:
    turns = [f"{number}. call {calls}" for number, calls in enumerate(wanted, 1)]
    intro = "Use the tools, in this order, the calls of one line all at once:"
    return "\n".join([intro, *turns, "Then answer in words."])


def chose_otherwise(scenario: Scenario, place: int, called: list[str]) -> str:
    """What the model did instead of what the scenario is about; empty when it did just that. Arguments may differ."""
    says = scenario.answers[place]
    wanted = sorted(call.tool for call in says.calls) if isinstance(says, ScriptTurn) else []
    if sorted(called) == wanted:
        return ""
    return f"the model called {_listed(called)} where the scenario has {_listed(wanted)}"


def _listed(names: list[str]) -> str:
    return ", ".join(names) or "no tool"
