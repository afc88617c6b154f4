"""Who decides what comes next, where neither a scenario nor the request's own tools do: a director.

A director knows one conversation, and follows it request by request. It says of each request which turn answers it;
the server renders, judges and sends as it does for scenarios.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from conformance.http import Request
from conformance.scenarios import Scenario
from conformance.server.telling import ScenarioExchange
from conformance.wires.facts import Facts


class DirectedRefusalError(Exception):
    """The director has the request turned away. The message is the provider's."""


@dataclass(frozen=True, slots=True)
class Direction:
    """The answer to one request: a scenario of one turn, and where the conversation is.

    ``name`` is what the conversation is called in results, ``place`` the number of the answer, ``previous`` the
    exchange that the request goes on from, where that is known.
    """

    scenario: Scenario
    name: str
    place: int
    previous: ScenarioExchange | None = None


class Director(Protocol):
    """Decides. Called from several threads."""

    def directed(self, provider: str, request: Request, facts: Facts) -> Direction:
        """What answers a request. Raises `DirectedRefusalError`."""

    def answered(self, exchange: ScenarioExchange, scenario: Scenario) -> None:
        """Told of each answer that goes out, with the scenario that `directed` gave."""
