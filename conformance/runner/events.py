"""What a run tells: first the plan, then a result for each case, perhaps a stop, and at the end the run's result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from conformance.engine.cases import Group
from conformance.engine.halts import HaltKind
from conformance.engine.pool import AdapterProbe
from conformance.engine.report import CaseReport
from conformance.outcomes import Outcome, worst
from conformance.runner.conclusion import RunResult

StopReason = Literal["cancelled", "interrupted", "first_failure"] | HaltKind
"""Why a run ended before its last case: `Run.cancel` or leaving its block; Ctrl-C; ``exitfirst``; or what makes it no
use to go on recording (``calls_spent``, ``no_access``, ``cassette``)."""


@dataclass(frozen=True, slots=True)
class RunPlan:
    """The first event: what will be played. ``cases`` counts it, repetitions included, and ``left_out`` what will not
    be, because it is more than a run plays that was not asked for all."""

    adapters: tuple[AdapterProbe, ...]
    groups: tuple[Group, ...]
    cases: int
    left_out: int = 0

    @property
    def playable(self) -> Iterator[Group]:
        """The groups of cases that nothing is lacking for."""
        return (group for group in self.groups if not group.unsupported)


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One case has ended. ``outcomes`` are by rule, of the rules that had something to examine.

    ``failed`` says whether the case fails, a baseline aside. ``seconds`` is the time that it took, and
    ``adapter_seconds`` the part of it that the adapter took. ``attempt`` counts repetitions from 1; it is 0 where each
    case is played once.
    """

    adapter: str
    provider: str
    scenario: str
    delivery: str
    attempt: int
    failed: bool
    outcomes: Mapping[str, Outcome]
    seconds: float
    adapter_seconds: float
    report: CaseReport = field(repr=False)

    @property
    def case(self) -> str:
        """The name of the case, as the result document has it."""
        return self.report.name

    @property
    def outcome(self) -> Outcome:
        """The worst outcome."""
        return worst(self.outcomes.values())


@dataclass(frozen=True, slots=True)
class RunStop:
    """The run ends before its last case. ``words`` say why, for people."""

    reason: StopReason
    words: str


RunEvent = RunPlan | CaseResult | RunStop | RunResult
"""What a run yields. The last one is the `RunResult`."""
