"""What was found, and what was lost, in one case or in many: each once, with the number of times."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from conformance.gateways.losses import format_losses
from conformance.gateways.rules import GATEWAY_RULES
from conformance.model import Json

_NUMBERS = re.compile(r"(?<=/)\d+(?=/|$)")


@dataclass(slots=True)
class GatewayFinding:
    """One finding. ``side`` says where: in the gateway's ``request`` to the provider, in its ``answer`` to the client,
    or ``across`` both. ``shown_by`` are cases that show it; ``answer`` is the number of the model call in the first."""

    rule: str
    level: str
    statement: str
    side: str
    at: str
    expected: Json
    found: Json
    answer: int
    consequence: str = ""
    times: int = 1
    shown_by: list[str] = field(default_factory=list)

    def document(self) -> dict[str, Json]:
        """As JSON."""
        return {
            "rule": self.rule, "level": self.level, "statement": self.statement, "side": self.side, "at": self.at,
            "answer": self.answer, "expected": self.expected, "found": self.found, "consequence": self.consequence,
            "times": self.times, "shown_by": self.shown_by,
        }  # fmt: skip


def across(rule: str, expected: Json, found: Json, answer: int, at: str = "") -> GatewayFinding:
    """A finding of a rule of ours."""
    own = GATEWAY_RULES[rule]
    return GatewayFinding(rule, own.level, own.statement, "across", at, expected, found, answer)


@dataclass(slots=True)
class CaseFindings:
    """What was found in one case. ``losses`` counts what the formats could not say."""

    found: list[GatewayFinding] = field(default_factory=list)
    losses: dict[str, int] = field(default_factory=dict)

    def lose(self, name: str) -> None:
        """Something that a format has no field for was lost."""
        self.losses[name] = self.losses.get(name, 0) + 1


def gathered(cases: Iterable[tuple[str, CaseFindings]]) -> list[GatewayFinding]:
    """The findings of several cases, those that are the same but for numbers in their places told once."""
    known: dict[tuple[str, str], GatewayFinding] = {}
    for name, case in cases:
        for one in case.found:
            first = known.setdefault((one.rule, _NUMBERS.sub("*", one.at)), one)
            first.times += 0 if first is one else one.times
            if name not in first.shown_by:
                first.shown_by.append(name)
    return sorted(known.values(), key=lambda one: (one.level != "must", one.rule))


def losses_told(cases: Iterable[CaseFindings]) -> list[dict[str, Json]]:
    """What was lost in several cases, with the number of times."""
    times: dict[str, int] = {}
    for case in cases:
        for name, number in case.losses.items():
            times[name] = times.get(name, 0) + number
    known = format_losses()
    rows = ((known[name], number) for name, number in sorted(times.items()))
    return [{"id": loss.id, "lost": loss.lost, "why": loss.why, "times": number} for loss, number in rows]
