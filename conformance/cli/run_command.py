"""Play scenarios against adapters and judge what they send and what they understand.

With no ADAPTER the reference adapters run. An ADAPTER is a name that an installed package registers in the entry-point
group conformance.adapters (see 'conformance list adapters'), or an address such as python:mylib.adapter:Adapter.
"""

from __future__ import annotations

import argparse
import datetime
import os
import shlex
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformance.cli import INTERRUPTED, UsageError
from conformance.cli.answering import answering_arguments, answering_of
from conformance.cli.selecting import selection_arguments, selection_of

if TYPE_CHECKING:
    from conformance.engine.cases import Group, Selection
    from conformance.engine.pool import Event, Probed, Warm
    from conformance.matrix import Matrix

FORMATS = ("table", "json", "jsonl", "markdown", "junit")
SUFFIXES = {".json": "json", ".jsonl": "jsonl", ".md": "markdown", ".xml": "junit", ".txt": "table"}


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("adapter", nargs="*", default=["reference"], metavar="ADAPTER")
    selection_arguments(parser)
    answering_arguments(parser)
    how = parser.add_argument_group("how")
    how.add_argument("-j", "--jobs", type=_jobs, metavar="N", help="worker processes (default: one a core)")
    how.add_argument("-x", "--exitfirst", action="store_true", help="stop at the first case that fails")
    how.add_argument("--timeout", type=_seconds, default=30.0, metavar="S", help="seconds for a case (default: 30)")
    how.add_argument("--baseline", type=Path, metavar="FILE", help="known failures, with reason, link and expiry")
    how.add_argument("--dry-run", action="store_true", help="list the cases that would run")
    out = parser.add_argument_group("output")
    out.add_argument("--format", choices=FORMATS, help="what to print (default: table)")
    out.add_argument(
        "--out", type=Path, action="append", default=[], metavar="FILE",
        help="write a file too; its format follows its suffix (.json .jsonl .md .xml), or is that of --format",
    )  # fmt: skip
    out.add_argument("-v", "--verbose", action="store_true", help="a row for every rule")


def _jobs(text: str) -> int:
    count = int(text)
    if count < 1:
        raise argparse.ArgumentTypeError("at least one worker is needed")
    return count


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds < 86_400:
        raise argparse.ArgumentTypeError("must be more than 0 and less than a day")
    return seconds


def main(options: argparse.Namespace) -> int:
    """Run and report. Returns the exit code."""
    from conformance.engine.pool import Warm

    files = [(path, _format_of(path, options.format)) for path in options.out]
    entries = _baseline(options.baseline)
    selection = replace(selection_of(options), answering=answering_of(options))
    with Warm() as warm:
        return _run(options, files, entries, selection, warm)


def _run(
    options: argparse.Namespace, files: list[tuple[Path, str]], entries: list[Any], selection: Selection, warm: Warm
) -> int:
    from conformance.matrix import Matrix
    from conformance.scenarios import load_scenarios

    adapters = list(probed_adapters(options.adapter, warm))
    planned = _planned(adapters, selection)
    if options.dry_run:
        return _show(planned)
    matrix = Matrix(adapters, load_scenarios(selection.root), selection)
    started, clock = datetime.datetime.now(datetime.UTC), time.perf_counter()
    interrupted = _play(planned, selection, matrix, options, warm)
    complaints = _held(entries, matrix)
    code = INTERRUPTED if interrupted else exit_code(matrix, complaints)
    from conformance.result import result_document

    document = result_document(
        matrix,
        started=started,
        duration=time.perf_counter() - clock,
        command=shlex.join(["conformance", *sys.argv[1:]]),
        planned=planned,
        interrupted=interrupted,
        exit_code=code,
        baseline=complaints,
    )
    return _report(document, files, options, code)


def _format_of(path: Path, chosen: str | None) -> str:
    kind = SUFFIXES.get(path.suffix, chosen)
    if kind is None:
        raise UsageError(f"--out {path}: unknown suffix; use {', '.join(SUFFIXES)}, or give --format")
    parent = _existing(path.parent)
    if path.is_dir() or not parent.is_dir() or not os.access(parent, os.W_OK):
        raise UsageError(f"--out {path}: cannot write there")
    return kind


def _existing(folder: Path) -> Path:
    return folder if folder.exists() or folder == folder.parent else _existing(folder.parent)


def _baseline(path: Path | None) -> list[Any]:
    from conformance.baseline import BaselineError, read_baseline

    try:
        return read_baseline(path) if path else []
    except BaselineError as problem:
        raise UsageError(str(problem)) from None


def probed_adapters(addresses: Iterable[str], warm: Warm | None = None) -> Iterator[Probed]:
    """The adapters at the addresses. Several versions of one are told apart by name and version.

    ``warm`` keeps their workers.
    """
    from conformance.adapters.contract import AdapterError
    from conformance.engine.pool import probe

    try:
        probed = [probe(address, warm=warm) for address in dict.fromkeys(addresses)]
    except AdapterError as problem:
        raise UsageError(str(problem)) from None
    for one in probed:
        if one.kind == "gateway":
            raise UsageError(f"{one.address} is a gateway; this version runs translators, clients and agents")
    names = Counter(one.info.name for one in probed)
    seen: dict[str, str] = {}
    for one in probed:
        name = one.info.name if names[one.info.name] == 1 else f"{one.info.name} {one.info.version}"
        if name in seen:
            raise UsageError(f"{one.address} and {seen[name]} are both named {name!r}: give them different info.name")
        seen[name] = one.address
        yield replace(one, info=replace(one.info, name=name))


def _planned(adapters: Iterable[Probed], selection: Selection) -> list[Group]:
    from conformance.engine.cases import groups
    from conformance.scenarios import load_scenarios

    scenarios = load_scenarios(selection.root)
    return [group for item in adapters for group in groups(item.address, item.info, scenarios, selection, item.kind)]


def _show(planned: list[Group]) -> int:
    from conformance.report.printing import say

    for group in planned:
        for delivery in group.deliveries:
            note = f"  (unsupported: {group.unsupported})" if group.unsupported else ""
            say(f"{group.address} {group.provider} {group.scenario}/{delivery}{note}")
    return 0 if planned else 4


def _play(
    planned: list[Group], selection: Selection, matrix: Matrix, options: argparse.Namespace, warm: Warm
) -> bool:
    """Play all cases into the matrix. Says whether that was interrupted."""
    from conformance.engine.pool import run_groups
    from conformance.report.progress import Progress

    for group in planned:
        if group.unsupported:
            for report in unsupported(group):
                matrix.enter(report)
    able = [group for group in planned if not group.unsupported]
    jobs = options.jobs or os.cpu_count() or 1
    events = run_groups(able, selection, jobs=jobs, timeout=options.timeout, warm=warm)
    count = sum(len(group.deliveries) for group in able) * selection.answering.repeat
    with Progress(count, quiet=_machine(options)) as progress:
        try:
            return _enter_all(events, matrix, progress, options)
        except KeyboardInterrupt:
            return True
        finally:
            events.close()  # type: ignore[attr-defined]


def _machine(options: argparse.Namespace) -> bool:
    return options.format not in (None, "table")


def _enter_all(events: Iterator[Event], matrix: Matrix, progress: Any, options: argparse.Namespace) -> bool:
    for event in events:
        failed = matrix.enter(event)
        progress.advance(failed)
        if failed and options.exitfirst:
            break
    return False


def unsupported(group: Group) -> Iterator[Any]:
    """The reports of cases that the adapter does not claim to support."""
    from conformance.engine.report import CaseReport

    for delivery in group.deliveries:
        yield CaseReport(group.address, group.provider, group.scenario, delivery, unsupported=group.unsupported)


def _held(entries: list[Any], matrix: Matrix) -> list[str]:
    from conformance.baseline import apply_baseline

    return apply_baseline(entries, matrix, datetime.date.today()) if entries else []


def exit_code(matrix: Matrix, complaints: list[str]) -> int:
    """0 conforms, 1 a rule failed or the baseline is stale, 3 the harness failed, 4 nothing ran."""
    cells = matrix.cells.values()
    if any(cell.outcome == "harness_error" for cell in cells):
        return 3
    if complaints or any(cell.fails and cell.flag != "expected_fail" for cell in cells):
        return 1
    return 0 if any(cell.cases["pass"] for cell in cells) or any(cell.fails for cell in cells) else 4


def _report(document: Any, files: list[tuple[Path, str]], options: argparse.Namespace, code: int) -> int:
    from conformance.report.printing import say_to
    from conformance.report.writers import written
    from conformance.result import write_whole

    for path, kind in files:
        try:
            write_whole(path, written(document, kind, verbose=options.verbose))
        except OSError as problem:
            raise UsageError(f"--out {path}: {problem.strerror}") from None
    shown = options.format or "table"
    if shown == "table":
        from conformance.report.terminal import print_matrix

        print_matrix(document, verbose=options.verbose)
    elif not any(kind == shown for _, kind in files):
        say_to(sys.stdout, written(document, shown, verbose=options.verbose))
    return code
