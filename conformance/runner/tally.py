"""What a recording came to."""

from __future__ import annotations

from dataclasses import dataclass, field

from conformance.engine.blame import CONTRACT_RULE
from conformance.engine.report import CaseReport
from conformance.outcomes import FAILURES
from conformance.runner.events import CaseResult, RunEvent, RunStop


@dataclass
class RecordingTally:
    """The cases of a recording by what became of them, each with the reason where there is one."""

    recorded: list[str] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)
    """Recorded, though a rule was broken: the traffic is real all the same."""
    failed: list[tuple[str, str]] = field(default_factory=list)
    stop: RunStop | None = None
    reports: list[CaseReport] = field(default_factory=list)

    @property
    def all_well(self) -> bool:
        """Whether everything that was planned is recorded."""
        return not (self.failed or self.stop)

    def enter(self, event: RunEvent) -> None:
        """Count what a run tells."""
        match event:
            case RunStop():
                self.stop = event
            case CaseResult(report=report) if not report.halt:
                self._enter(f"{event.provider} {event.case}", report)

    def _enter(self, case: str, report: CaseReport) -> None:
        if not report.lost:
            self.reports.append(report)
        if why := _why_not_kept(report):
            self.failed.append((case, why))
            return
        self.recorded.append(case)
        if any(entry.outcome in FAILURES for entry in report.rules.values()):
            self.findings.append(case)


def _why_not_kept(report: CaseReport) -> str:
    if report.lost:
        return report.lost
    if any(entry.outcome == "model_choice" for entry in report.rules.values()):
        return "the model chose something else, so it is not kept"
    contract = report.rules.get(CONTRACT_RULE)
    if contract is not None and contract.outcome in FAILURES:
        return "the adapter failed, so it is not kept"
    return ""
