"""What is played through a gateway: ``plan.yaml``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Any, Literal, get_args

import yaml

from conformance.capabilities import CAPABILITIES
from conformance.scenarios import AnswerStep, Scenario, Step, packaged_scenario
from conformance.script import ScriptTurn
from conformance.wires import card

CaseMode = Literal["blocking", "stream"]
CaseWay = Literal["", "gated", "hung up"]
LONG_TEXT = "Good morning. Here are the words that you asked for, one after the other, and there are some of them."


@dataclass(frozen=True, slots=True)
class GatewayCase:
    """One case: a scenario, whether its answers are streams, and what the client does with them.

    ``gated``: the provider waits until the client has what came before. ``hung up``: the client leaves after the first
    words, and the provider goes on.
    """

    scenario: str
    mode: CaseMode
    way: CaseWay = ""

    @property
    def name(self) -> str:
        """As findings name it."""
        return " ".join(filter(None, (self.scenario, self.mode, self.way)))

    def played(self) -> Scenario:
        """The scenario. Where the client watches words come there are some more of them."""
        scenario = packaged_scenario(self.scenario)
        return replace(scenario, steps=tuple(map(_longer, scenario.steps))) if self.way else scenario

    def suits(self, inbound: str, outbound: str) -> bool:
        """Whether a client of the inbound format can play it. What only the other side lacks is a loss."""
        scenario = packaged_scenario(self.scenario)
        lacking = scenario.needs & CAPABILITIES.keys() - card(inbound).capabilities
        formats = {card(inbound).format, card(outbound).format}
        return not lacking and (scenario.providers is None or formats <= set(scenario.providers))


def _longer(step: Step) -> Step:
    if isinstance(step, AnswerStep) and isinstance(step.says, ScriptTurn):
        return replace(step, says=replace(step.says, text=LONG_TEXT))
    return step


@cache
def all_cases() -> tuple[GatewayCase, ...]:
    """All, in the order of the plan."""
    entries = yaml.safe_load((resources.files("conformance.gateways") / "plan.yaml").read_bytes())
    return tuple(case for entry in entries for case in _cases(entry))


def _cases(entry: Mapping[str, Any]) -> Iterator[GatewayCase]:
    for mode in entry.get("modes", get_args(CaseMode)):
        yield GatewayCase(entry["scenario"], mode, entry.get("way", ""))
