"""Has a provider changed since its cassettes were recorded? They are recorded again elsewhere, and compared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from conformance.deliveries import DELIVERIES
from conformance.engine.report import CaseReport
from conformance.files.whole import write_whole
from conformance.recordings.interaction import Cassette
from conformance.recordings.store import CassetteError, cassette_path, find_cassette, read_cassette
from conformance.recordings.structure import structure, structure_changes
from conformance.responders.kinds import ResponderChoice
from conformance.runner.events import CaseResult
from conformance.runner.runs import Run
from conformance.runner.settings import RunSettings
from conformance.runner.tally import RecordingTally

NEW = ".new"
"""What the name of a new cassette ends with. Nobody takes it for a cassette."""

ComparedCase = tuple[str, str, str]
"""Provider, scenario and delivery."""
Outcomes = dict[str, str]
"""Outcomes by rule."""


@dataclass(frozen=True, slots=True)
class CaseChanges:
    """How one case is another now: a line for each difference in structure, then for each verdict.

    ``now`` is the cassette as it was recorded again, ``beside`` where it is to be kept, beside the one that is known.
    """

    case: str
    lines: tuple[str, ...]
    now: Path | None = None
    beside: Path | None = None

    def keep(self) -> None:
        """Write the new cassette beside the known one. Raises `OSError`."""
        if self.now is not None and self.beside is not None:
            write_whole(self.beside, self.now.read_bytes())


def like(settings: RunSettings, known: Path, scratch: Path) -> RunSettings:
    """The settings of a recording into ``scratch`` of just the cases that ``known`` has cassettes of."""
    answering = settings.selection.answering
    assert answering.recording is not None
    order = replace(answering.recording, like=known.resolve())
    answering = replace(answering, cassettes=scratch.resolve(), recording=order)
    return replace(settings, selection=replace(settings.selection, answering=answering))


def case_changes(tally: RecordingTally, settings: RunSettings, known: Path) -> Iterator[CaseChanges]:
    """The cases that were recorded again, by ``settings``, and are different from those in ``known``."""
    scratch = settings.selection.answering.cassettes
    assert scratch is not None
    deliveries = tuple(sorted({report.delivery for report in tally.reports}))
    before, after = (_replayed(settings, deliveries, root) for root in (known, scratch))
    for report in tally.reports:
        lines = list(_differences(report, known, scratch))
        lines += _verdicts(_outcomes(before.get(_case(report))), _outcomes(after.get(_case(report))))
        if lines:
            old, now = _path(known, report), _path(scratch, report)
            beside = old.with_name(f"{old.name}{NEW}") if old is not None and now is not None else None
            yield CaseChanges(f"{report.provider} {report.name}", tuple(lines), now, beside)


def _case(report: CaseReport) -> ComparedCase:
    return report.provider, report.scenario, report.delivery


def _replayed(settings: RunSettings, deliveries: tuple[str, ...], root: Path) -> dict[ComparedCase, CaseReport]:
    """The verdicts on the cases as the cassettes under ``root`` have them."""
    if not deliveries:
        return {}
    answering = ResponderChoice("cassette", root.resolve())
    selection = replace(settings.selection, answering=answering, deliveries=deliveries)
    with Run(replace(settings, selection=selection)) as played:
        reports = [event.report for event in played if isinstance(event, CaseResult)]
    return {_case(report): report for report in reports if not report.lost}


def _differences(report: CaseReport, known: Path, scratch: Path) -> Iterator[str]:
    """Where the structure of the answers is another."""
    if _path(scratch, report) is None:
        return  # not kept; the tally says why
    try:
        old, new = (_cassette(root, report) for root in (known, scratch))
    except CassetteError as problem:
        yield str(problem)
        return
    yield from map(
        str, structure_changes(*(structure(report.provider, cassette.interactions) for cassette in (old, new)))
    )


def _path(root: Path, report: CaseReport) -> Path | None:
    streaming = DELIVERIES[report.delivery].streaming
    return find_cassette(cassette_path(root, report.provider, report.scenario, streaming=streaming))


def _cassette(root: Path, report: CaseReport) -> Cassette:
    path = _path(root, report)
    if path is None:
        raise CassetteError(root, f"no cassette of {report.scenario}")
    return read_cassette(path)


def _outcomes(report: CaseReport | None) -> Outcomes:
    """What a case came to, without the rule that only recordings can break. Nothing where it could not be played."""
    entries = report.rules.items() if report is not None else ()
    return {rule: entry.outcome for rule, entry in entries if rule != "common.http.as-recorded"}


def _verdicts(before: Outcomes, after: Outcomes) -> Iterator[str]:
    for rule in sorted(before.keys() | after.keys()):
        old, new = before.get(rule, "not_applicable"), after.get(rule, "not_applicable")
        if old != new:
            yield f"verdict of {rule}: {old} became {new}"
