"""``conformance record --check``: has the provider changed since its cassettes were recorded?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.engine.pool import run_groups
from conformance.engine.recorded import Tally, record
from conformance.engine.report import CaseReport
from conformance.recordings.interaction import Cassette
from conformance.recordings.store import CassetteError, cassette_path, find_cassette, read_cassette
from conformance.recordings.structure import changes, structure
from conformance.report.printing import say
from conformance.responders.kinds import Answering

if TYPE_CHECKING:
    from conformance.engine.cases import Group, Selection

Outcomes = dict[str, str]
"""Outcomes by rule."""


def check(planned: list[Group], selection: Selection, known: Path, timeout: float) -> int:
    """Record the cases that ``known`` has cassettes of into the selection's folder, and say what is different.

    Returns 0 when nothing is, 1 when something is or could not be recorded.
    """
    wanted = [group for group in planned if _recorded(group, known)]
    if not wanted:
        say(f"nothing to check: {known} has no cassette of these cases")
        return 0
    tally = Tally()
    for _ in record(wanted, selection, tally, timeout=timeout):
        pass
    before = {_case(report): report for report in _replayed(wanted, selection, known, timeout)}
    different = 0
    for report in tally.reports:
        lines = list(_differences(report, before.get(_case(report)), selection, known))
        different += bool(lines)
        if lines:
            say("\n  ".join([f"{report.provider} {report.name}", *lines]))
    for line in list(tally.lines(len(wanted), Path("a scratch folder")))[1:]:
        say(line)
    say(f"{len(tally.reports)} recorded anew, {different} different")
    return 1 if different or not tally.all_well else 0


def _recorded(group: Group, known: Path) -> bool:
    return any(_path(known, group.provider, group.scenario, name) for name in group.deliveries)


def _path(root: Path, provider: str, scenario: str, delivery: str) -> Path | None:
    return find_cassette(cassette_path(root, provider, scenario, streaming=delivery != "blocking"))


def _case(report: CaseReport) -> tuple[str, str, str]:
    return report.provider, report.scenario, report.delivery


def _replayed(wanted: list[Group], selection: Selection, known: Path, timeout: float) -> Iterator[CaseReport]:
    """The verdicts on the same cases as the cassettes have them."""
    from_cassettes = replace(selection, answering=Answering("cassette", known.resolve()))
    for event in run_groups(wanted, from_cassettes, jobs=1, timeout=timeout):
        if isinstance(event, CaseReport):
            yield event


def _differences(
    report: CaseReport, before: CaseReport | None, selection: Selection, known: Path
) -> Iterator[str]:
    scratch = selection.answering.cassettes
    assert scratch is not None
    try:
        old, new = (_cassette(root, report) for root in (known, scratch))
    except CassetteError as problem:
        yield str(problem)
        return
    shapes = [structure(report.provider, cassette.interactions) for cassette in (old, new)]
    yield from map(str, changes(*shapes))
    if before is not None:
        yield from _verdicts(_outcomes(before), _outcomes(report))


def _cassette(root: Path, report: CaseReport) -> Cassette:
    path = _path(root, report.provider, report.scenario, report.delivery)
    if path is None:
        raise CassetteError(root, f"no cassette of {report.scenario}")
    return read_cassette(path)


def _outcomes(report: CaseReport) -> Outcomes:
    """What a case came to, without the rule that only recordings can break."""
    return {rule: entry.outcome for rule, entry in report.rules.items() if rule != "common.http.as-recorded"}


def _verdicts(before: Outcomes, after: Outcomes) -> Iterator[str]:
    for rule in sorted(before.keys() | after.keys()):
        old, new = before.get(rule, "not_applicable"), after.get(rule, "not_applicable")
        if old != new:
            yield f"verdict of {rule}: {old} became {new}"
