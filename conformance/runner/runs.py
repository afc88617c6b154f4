"""A run: an iterator of events that ends in a result."""

from __future__ import annotations

import contextlib
import datetime
import time
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType

from conformance.clusters import POOL, ClusterError
from conformance.engine.cancellation import Cancellation, CancelledError
from conformance.engine.cases import Group, Selection, groups, outlines_of
from conformance.engine.pool import AdapterProbe, CaseEvent, WarmWorkers, run_groups
from conformance.engine.report import CaseReport
from conformance.files.scratch import scratch
from conformance.matrix import Matrix
from conformance.mutants.kills import killing_cases
from conformance.runner.adapters import probed_adapters
from conformance.runner.chosen import MOST, chosen_groups
from conformance.runner.conclusion import RunResult, concluded
from conformance.runner.errors import Option, UsageError
from conformance.runner.events import CaseResult, RunEvent, RunPlan, RunStop
from conformance.runner.failed import FailedCases
from conformance.runner.settings import RunSettings
from conformance.scenarios.outlines import Outline

CANCELLED = RunStop("cancelled", "the run was cancelled")
INTERRUPTED = RunStop("interrupted", "the run was interrupted")
FIRST_FAILURE = RunStop("first_failure", "a case failed, and the run was to end there")
WANTED = (CANCELLED, INTERRUPTED)
"""The stops that somebody asked for while the run was going on."""


class Run(contextlib.AbstractContextManager["Run"], Iterator[RunEvent]):
    """Iterate over it for events; the last one is the result. Nothing starts before the first.

    Leaving its ``with`` block, or `close`, ends it where it is and kills its workers; what was seen until then is its
    result. A `KeyboardInterrupt` does the same, also while adapters are loaded, and is raised.
    """

    def __init__(self, settings: RunSettings) -> None:
        self.settings = settings
        self._events = self._all_events()
        self._cancellation = Cancellation()
        self._result: RunResult | None = None

    def __next__(self) -> RunEvent:
        return next(self._events)

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the run where it is. Only for the thread that iterates; others `cancel`."""
        self._events.close()

    def cancel(self) -> None:
        """Have the run end at once, from any thread: its last events are a `RunStop` and the result.

        Cases that are being played, and adapters that are being loaded, are killed.
        """
        self._cancellation.request()

    def give_up(self) -> None:
        """Have a result, though the run was interrupted before it played anything."""
        if self._result is None:
            self._result = _nothing(self.settings)

    def finish(self) -> RunResult:
        """Play all that is left, and return the result. Raises `UsageError` when an adapter cannot be loaded."""
        for _ in self:
            pass
        return self.result

    @property
    def ended(self) -> bool:
        """Whether there is a result."""
        return self._result is not None

    @property
    def result(self) -> RunResult:
        """The result. Raises `RuntimeError` while there is none: before the end, or if nothing was ever played."""
        if self._result is None:
            raise RuntimeError("the run has no result yet: iterate over it to its end, or call finish()")
        return self._result

    # --- events ------------------------------------------------------------------------------------------------------

    def _all_events(self) -> Generator[RunEvent]:
        try:
            yield from self._stages()
        except KeyboardInterrupt:
            self.give_up()
            raise

    def _stages(self) -> Generator[RunEvent]:
        with contextlib.ExitStack() as stack:
            if self.settings.recording:  # a worker that is killed may be writing just then
                stack.callback(_sweep, self.settings.selection.answering.folder)
            folder = stack.enter_context(scratch())
            warm = stack.enter_context(WarmWorkers(folder))
            adapters = self._adapters(warm)
            selection = self._selection(adapters, folder) if adapters else self.settings.selection
            scenarios = outlines_of(selection)
            plan = _plan(adapters, selection, scenarios, self.settings.failed)
            yield plan
            if self.settings.recording and adapters:
                _prepare_recording(plan, selection)
            progress = _Progress(self.settings, plan, Matrix(list(adapters), scenarios, selection))
            try:
                yield from self._cases(progress, selection, warm)
                self._result = progress.result()
            except (GeneratorExit, KeyboardInterrupt) as problem:
                progress.stop = INTERRUPTED if isinstance(problem, KeyboardInterrupt) else CANCELLED
                self._result = progress.result()
                raise
        if progress.stop is not None:
            yield progress.stop
        yield self._result

    def _adapters(self, warm: WarmWorkers) -> tuple[AdapterProbe, ...]:
        """The adapters; none if the run was cancelled while they were loaded."""
        try:
            return tuple(probed_adapters(self.settings.adapters, warm, self._cancellation))
        except CancelledError:
            return ()

    def _selection(self, adapters: tuple[AdapterProbe, ...], folder: Path) -> Selection:
        """The selection; where answers are recorded, with who calls, and where in ``folder`` the calls are counted."""
        selection = self.settings.selection
        order = selection.answering.recording
        if order is None:
            return selection
        [adapter] = adapters
        order = replace(order, adapter=f"{adapter.info.name} {adapter.info.version}", budget=folder / "calls")
        return replace(selection, answering=replace(selection.answering, recording=order))

    def _cases(self, progress: _Progress, selection: Selection, warm: WarmWorkers) -> Iterator[CaseResult]:
        events = self._events_of(list(progress.plan.playable), selection, warm)
        with contextlib.closing(events):  # type: ignore[type-var]
            while not self._is_cancelled(progress):
                event = next(events, None)
                if self._is_cancelled(progress) or event is None:
                    return
                report = progress.matrix.report(event)
                yield progress.enter(report)
                if progress.ends_after(report):
                    return

    def _events_of(self, playable: list[Group], selection: Selection, warm: WarmWorkers) -> Iterator[CaseEvent]:
        settings, cancellation = self.settings, self._cancellation
        if settings.engine == POOL:
            yield from run_groups(
                playable, selection, jobs=settings.jobs, timeout=settings.timeout, warm=warm, cancellation=cancellation
            )
            return
        from conformance.engine.distributed import distributed_groups

        try:
            yield from distributed_groups(
                playable, selection, engine=settings.engine, jobs=settings.jobs, timeout=settings.timeout,
                cancellation=cancellation,
            )  # fmt: skip
        except ClusterError as problem:
            raise UsageError(Option("engine"), f": {problem}") from None

    def _is_cancelled(self, progress: _Progress) -> bool:
        if self._cancellation.requested:
            progress.stop = CANCELLED
        return self._cancellation.requested


@dataclass
class _Progress:
    """What has been seen of a run that goes on."""

    settings: RunSettings
    plan: RunPlan
    matrix: Matrix
    stop: RunStop | None = None
    started: datetime.datetime = field(default_factory=lambda: datetime.datetime.now(datetime.UTC))
    clock: float = field(default_factory=time.perf_counter)
    failed: bool = False

    def __post_init__(self) -> None:
        for group in self.plan.groups:
            if group.unsupported:
                for report in _unsupported(group):
                    self.matrix.enter(report)
        self._names = {probed.address: probed.info.name for probed in self.plan.adapters}

    def enter(self, report: CaseReport) -> CaseResult:
        """Count a case, and tell what came of it."""
        self.failed = self.matrix.enter(report)
        return CaseResult(
            self._names[report.address],
            report.provider,
            report.scenario,
            report.delivery,
            report.attempt,
            self.failed,
            {rule: entry.outcome for rule, entry in report.rules.items()},
            report.seconds,
            report.adapter_seconds,
            report,
        )

    def ends_after(self, report: CaseReport) -> bool:
        """Whether the run ends with this case, and was not going to."""
        if self.settings.recording and report.halt:
            self.stop = RunStop(report.halt.kind, report.halt.words)
        elif self.settings.exitfirst and self.failed:
            self.stop = FIRST_FAILURE
        return self.stop is not None

    def result(self) -> RunResult:
        """What it all came to."""
        return concluded(
            self.matrix,
            self.plan.groups,
            left_out=self.plan.left_out,
            started=self.started,
            seconds=time.perf_counter() - self.clock,
            command=self.settings.command,
            baseline=self.settings.baseline,
            interrupted=self.stop not in (None, FIRST_FAILURE),
            cancelled=self.stop in WANTED,
            whole=self.settings.failed is None,
        )


def _nothing(settings: RunSettings) -> RunResult:
    """The result of a run that was interrupted before it knew what to play."""
    return _Progress(settings, RunPlan((), (), 0), Matrix([], {}, settings.selection), INTERRUPTED).result()


def _plan(
    adapters: tuple[AdapterProbe, ...],
    selection: Selection,
    scenarios: Mapping[str, Outline],
    failed: FailedCases | None,
) -> RunPlan:
    answering = selection.answering
    planned = tuple(
        group for item in adapters for group in groups(item.address, item.info, scenarios, selection, item.kind)
    )
    if answering.kind == "record":  # only a key that is missing is worth telling: the rest cannot be recorded
        planned = tuple(group for group in planned if not group.unsupported or group.unsupported.kind == "access")
    if failed is not None:
        planned = failed.kept(planned, adapters)
    asked = _playable(planned)
    if asked > MOST and not selection.whole and answering.kind != "record":
        planned = chosen_groups(planned, scenarios, killing_cases())
    cases = _playable(planned)
    return RunPlan(adapters, planned, cases * answering.repeat, (asked - cases) * answering.repeat)


def _playable(planned: Iterable[Group]) -> int:
    return sum(len(group.deliveries) for group in planned if not group.unsupported)


def _unsupported(group: Group) -> Iterator[CaseReport]:
    """The reports of cases that are not played."""
    for delivery in group.deliveries:
        yield CaseReport(group.address, group.provider, group.scenario, delivery, unsupported=group.unsupported)


def _prepare_recording(plan: RunPlan, selection: Selection) -> None:
    """Make the folder. Raises `UsageError` when there is no key, or nothing can be written there."""
    lacks = {f"{group.provider}: {group.unsupported}" for group in plan.groups if group.unsupported}
    if lacks:
        raise UsageError(f"{'; '.join(sorted(lacks))}, or record ", Option("origin", "conformance serve"))
    folder = selection.answering.folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _sweep(folder)
    except OSError as problem:
        raise UsageError(Option("cassettes"), f" {folder}: {problem.strerror}") from None


def _sweep(folder: Path) -> None:
    """Remove what recordings that were killed left in a folder."""
    from conformance.recordings.sweeping import sweep_cassettes  # most runs record nothing

    sweep_cassettes(folder)
