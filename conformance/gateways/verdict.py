"""What came of a run: a cell for each pair of formats, with what was played, found and lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from conformance.gateways.crossing import CrossedCall
from conformance.gateways.findings import CaseFindings, gathered, losses_told
from conformance.model import Json

CellOutcome = Literal["pass", "warn", "fail", "not run"]


@dataclass(slots=True)
class GatewayCell:
    """One pair of formats. ``reached`` are the providers whose paths were asked for; ``reason`` says why it was not
    played."""

    inbound: str
    outbound: str
    reason: str = ""
    cases: list[tuple[str, CaseFindings]] = field(default_factory=list)
    reached: dict[str, int] = field(default_factory=dict)

    def enter(self, name: str, crossings: Sequence[CrossedCall], found: CaseFindings) -> None:
        """One more case."""
        self.cases.append((name, found))
        for crossing in crossings:
            for call in crossing.upstream:
                self.reached[call.provider] = self.reached.get(call.provider, 0) + 1

    @property
    def outcome(self) -> CellOutcome:
        """``fail`` where a rule that must hold was broken; ``warn`` where one that should was."""
        if self.reason or not self.cases:
            return "not run"
        levels = {finding.level for _, case in self.cases for finding in case.found}
        return "fail" if "must" in levels else "warn" if levels else "pass"

    def document(self) -> dict[str, Json]:
        """As JSON."""
        passed = sum(not any(one.level == "must" for one in case.found) for _, case in self.cases)
        return {
            "inbound": self.inbound, "outbound": self.outbound, "outcome": self.outcome, "reason": self.reason,
            "reached": dict(sorted(self.reached.items())), "cases": {"passed": passed, "of": len(self.cases)},
            "findings": [one.document() for one in gathered(self.cases)],
            "losses": losses_told(case for _, case in self.cases),
        }  # fmt: skip


def verdict_document(
    gateway: str, title: str, version: str, *, cells: Sequence[GatewayCell] = (), reason: str = "",
    contained: bool = True, seconds: float = 0.0, said: str = "", outsiders: Sequence[Mapping[str, Json]] = (),
) -> dict[str, Json]:  # fmt: skip
    """A verdict as JSON (``schemas/gateway_verdicts.schema.json``). ``reason`` says why nothing was run."""
    outcomes = [cell.outcome for cell in cells]
    order: tuple[CellOutcome, ...] = ("fail", "warn", "pass")
    outcome = "not run" if reason else next((one for one in order if one in outcomes), "not run")
    return {
        "gateway": gateway, "title": title, "version": version, "outcome": outcome, "reason": reason,
        "contained": contained, "seconds": round(seconds, 1), "cells": [cell.document() for cell in cells],
        "outsiders": [dict(one) for one in outsiders], "said": said,
    }  # fmt: skip
