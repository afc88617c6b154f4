"""Recording: playing cases with a recorder between adapter and provider, one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from conformance.engine.cases import Group, Selection
from conformance.engine.pool import run_groups
from conformance.engine.report import CaseReport
from conformance.outcomes import FAILURES


@dataclass
class Tally:
    """What a recording came to. Cases by what became of them."""

    recorded: list[str] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)
    """Recorded, though a rule was broken: the traffic is real all the same."""
    chose_otherwise: list[str] = field(default_factory=list)
    failed: list[tuple[str, str]] = field(default_factory=list)
    stopped: str = ""
    reports: list[CaseReport] = field(default_factory=list)

    @property
    def all_well(self) -> bool:
        """Whether everything that was planned is recorded."""
        return not (self.failed or self.stopped or self.chose_otherwise)

    def lines(self, planned: int, to: Path) -> Iterator[str]:
        """The summary for people."""
        if not planned:
            yield f"nothing to record: it is all in {to} (--again records it anew)"
            return
        yield f"recorded {len(self.recorded)} cases in {to}"
        for case in self.findings[:10]:
            yield f"  {case}: recorded, and a rule is broken: see conformance run --responder cassette"
        for case in self.chose_otherwise:
            yield f"  {case}: the model chose something else, so it is not kept"
        for case, why in self.failed:
            yield f"  {case}: {why}"
        if self.stopped:
            yield self.stopped


def record(planned: Sequence[Group], selection: Selection, tally: Tally, *, timeout: float) -> Iterator[bool]:
    """Record the groups into the tally. Yields, after each case, whether it failed.

    One worker, so that the provider is asked for one thing at a time. It ends when the calls are spent.
    """
    with closing(run_groups(planned, selection, jobs=1, timeout=timeout)) as events:  # type: ignore[type-var]
        for event in events:
            name = f"{event.group.provider} " if not isinstance(event, CaseReport) else f"{event.provider} "
            if isinstance(event, CaseReport):
                yield _enter(tally, name + event.name, event)
                continue
            if "CallsSpentError" in event.message:
                tally.stopped = event.message.partition(": ")[2]
                return
            tally.failed.append((f"{name}{event.group.scenario}/{event.delivery}", event.message))
            yield True


def _enter(tally: Tally, case: str, report: CaseReport) -> bool:
    tally.reports.append(report)
    outcomes = {entry.outcome for entry in report.rules.values()}
    if "model_choice" in outcomes:
        tally.chose_otherwise.append(case)
        return True
    tally.recorded.append(case)
    if outcomes & FAILURES:
        tally.findings.append(case)
    return bool(outcomes & FAILURES)
