"""``conformance record --check``: has the provider changed since its cassettes were recorded?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.engine.pool import Warm, run_groups
from conformance.engine.recorded import Tally, record
from conformance.engine.report import CaseReport
from conformance.recordings.interaction import Cassette
from conformance.recordings.store import CassetteError, cassette_path, find_cassette, read_cassette
from conformance.recordings.structure import changes, structure
from conformance.report.printing import say
from conformance.responders.kinds import Answering

if TYPE_CHECKING:
    from conformance.engine.cases import Group, Selection

Case = tuple[str, str, str]
"""Provider, scenario and delivery."""
Outcomes = dict[str, str]
"""Outcomes by rule."""


def check(planned: list[Group], selection: Selection, known: Path, timeout: float, warm: Warm) -> int:
    """Record the cases that ``known`` has cassettes of into the selection's folder, and say what is different.

    Returns 0 when nothing is, 1 when something is or could not be recorded.
    """
    wanted = list(_recorded(planned, known))
    if not wanted:
        say(f"nothing to check: {known} has no cassette of these cases")
        return 0
    tally = Tally()
    for _ in record(wanted, selection, tally, timeout=timeout, warm=warm):
        pass
    scratch = selection.answering.cassettes
    assert scratch is not None
    before, after = (_replayed(wanted, selection, root, timeout) for root in (known, scratch))
    different = 0
    for report in tally.reports:
        lines = list(_differences(report, known, scratch))
        lines += _verdicts(_outcomes(before.get(_case(report))), _outcomes(after.get(_case(report))))
        different += bool(lines)
        if lines:
            say("\n  ".join([f"{report.provider} {report.name}", *lines]))
    for case, why in tally.failed:
        say(f"{case}: {why}")
    if tally.stopped:
        say(tally.stopped)
    say(f"{len(tally.recorded)} recorded anew, {different} different")
    return 1 if different or not tally.all_well else 0


def _recorded(planned: list[Group], known: Path) -> Iterator[Group]:
    """The groups with those deliveries that there are cassettes of."""
    for group in planned:
        names = tuple(name for name in group.deliveries if _path(known, group.provider, group.scenario, name))
        if names:
            yield replace(group, deliveries=names)


def _path(root: Path, provider: str, scenario: str, delivery: str) -> Path | None:
    return find_cassette(cassette_path(root, provider, scenario, streaming=delivery != "blocking"))


def _case(report: CaseReport) -> Case:
    return report.provider, report.scenario, report.delivery


def _replayed(wanted: list[Group], selection: Selection, root: Path, timeout: float) -> dict[Case, CaseReport]:
    """The verdicts on the cases as the cassettes under ``root`` have them."""
    from_cassettes = replace(selection, answering=Answering("cassette", root.resolve()))
    events = run_groups(wanted, from_cassettes, jobs=1, timeout=timeout)
    return {_case(event): event for event in events if isinstance(event, CaseReport)}


def _differences(report: CaseReport, known: Path, scratch: Path) -> Iterator[str]:
    """Where the structure of the answers is another."""
    if _path(scratch, report.provider, report.scenario, report.delivery) is None:
        return  # not kept; the tally says why
    try:
        old, new = (_cassette(root, report) for root in (known, scratch))
    except CassetteError as problem:
        yield str(problem)
        return
    yield from map(str, changes(*(structure(report.provider, cassette.interactions) for cassette in (old, new))))


def _cassette(root: Path, report: CaseReport) -> Cassette:
    path = _path(root, report.provider, report.scenario, report.delivery)
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
