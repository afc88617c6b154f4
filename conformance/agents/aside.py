"""Requests beside the task: titles, routers, memories, warm-ups. They are answered by words that fit, and nothing else.

A request is of the task when it replays what was given out, or says the task and declares tools like the first one
that did.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from conformance.agents.keeping import says
from conformance.http import Request
from conformance.scenarios import Scenario
from conformance.server.own_tools import OwnTools, made_scenario
from conformance.server.shapes import ANY
from conformance.wires import card
from conformance.wires.facts import Facts

ALIKE = 0.5
"""How much of two lists of tools is in both, where one client declares them for the same task."""


@dataclass(slots=True)
class TaskRequests:
    """Tells requests of the task from others. ``tasks`` are what the agent was asked."""

    tasks: Sequence[str]
    _tools: frozenset[str] = field(default=frozenset())

    def is_aside(self, facts: Facts, *, goes_on: bool) -> bool:
        """Whether a request is beside the task. ``goes_on`` says that it replays what was given out."""
        tools = frozenset(str(tool.name) for tool in facts.client_tools)
        if not tools:
            return True
        if goes_on or facts.previous is not None:
            return False
        if not says(facts, self.tasks) or (self._tools and _alike(tools, self._tools) < ALIKE):
            return True
        self._tools = self._tools or tools
        return False


def _alike(one: Collection[str], other: Collection[str]) -> float:
    return len({*one} & {*other}) / len({*one} | {*other})


def answer_aside(provider: str, request: Request, facts: Facts) -> Scenario:
    """Words, or JSON of the schema that is asked for."""
    return made_scenario(ANY, request, facts, OwnTools((), (), card(provider), neutral=True), 0, 0)
