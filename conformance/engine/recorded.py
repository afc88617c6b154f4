"""Recording: playing cases with a recorder between adapter and provider, one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from conformance.engine.blame import CONTRACT_RULE
from conformance.engine.cases import Group, Selection
from conformance.engine.pool import Warm, run_groups
from conformance.engine.report import CaseReport
from conformance.outcomes import FAILURES

STOPPING = ("CallsSpentError", "NoAccessError", "CassetteError")
"""Problems after which it is no use to go on: no calls are left, the key is wrong, the disk is full."""
SHOWN = 10
"""How many cases are named of those that are recorded and break a rule."""


@dataclass
class Tally:
    """What a recording came to. Cases by what became of them, each with the reason where there is one."""

    recorded: list[str] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)
    """Recorded, though a rule was broken: the traffic is real all the same."""
    failed: list[tuple[str, str]] = field(default_factory=list)
    stopped: str = ""
    reports: list[CaseReport] = field(default_factory=list)

    @property
    def all_well(self) -> bool:
        """Whether everything that was planned is recorded."""
        return not (self.failed or self.stopped)

    def lines(self, to: Path) -> Iterator[str]:
        """The summary for people."""
        yield f"recorded {len(self.recorded)} cases in {to}"
        for case in self.findings[:SHOWN]:
            yield f"  {case}: recorded, and a rule is broken: see conformance run --responder cassette"
        if len(self.findings) > SHOWN:
            yield f"  and {len(self.findings) - SHOWN} more like these"
        for case, why in self.failed:
            yield f"  {case}: {why}"
        if self.stopped:
            yield self.stopped


def record(
    planned: Sequence[Group], selection: Selection, tally: Tally, *, timeout: float, warm: Warm
) -> Iterator[bool]:
    """Record the groups into the tally. Yields, after each case, whether it failed.

    One worker, so that the provider is asked for one thing at a time. It ends when going on is no use.
    """
    events = run_groups(planned, selection, jobs=1, timeout=timeout, warm=warm)
    with closing(events):  # type: ignore[type-var]
        for event in events:
            if isinstance(event, CaseReport):
                yield _enter(tally, event)
                continue
            kind, _, words = event.message.partition(": ")
            if kind in STOPPING:
                tally.stopped = words
                return
            tally.failed.append((f"{event.group.provider} {event.group.scenario}/{event.delivery}", event.message))
            yield True


def _enter(tally: Tally, report: CaseReport) -> bool:
    case = f"{report.provider} {report.name}"
    tally.reports.append(report)
    outcomes = {entry.outcome for entry in report.rules.values()}
    if "model_choice" in outcomes:
        tally.failed.append((case, "the model chose something else, so it is not kept"))
        return True
    if CONTRACT_RULE in report.rules and report.rules[CONTRACT_RULE].outcome in FAILURES:
        tally.failed.append((case, "the adapter failed, so it is not kept"))
        return True
    tally.recorded.append(case)
    if outcomes & FAILURES:
        tally.findings.append(case)
    return bool(outcomes & FAILURES)
