"""Play scenarios against adapters and judge what they send and what they understand.

With no ADAPTER the reference adapters run. An ADAPTER is a name that an installed package registers in the entry-point
group conformance.adapters (see 'conformance list adapters'), or an address: ./mine.py, mine.py:Adapter,
python:mylib.adapter:Adapter, stdio:COMMAND.

Coding agents are run with options of their own: 'conformance run agent:NAME --help', 'conformance run -- COMMAND ...'.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformance.cli import UsageError
from conformance.cli.answering import answering_arguments, by_provider
from conformance.cli.ending import finishing
from conformance.cli.following import follow_run
from conformance.cli.outputs import check_writable
from conformance.cli.selecting import engine_argument, generated_arguments, selection_arguments, selection_options

if TYPE_CHECKING:
    from conformance.runner.runs import Run

FORMATS = ("table", "json", "jsonl", "markdown", "junit")
SUFFIXES = {".json": "json", ".jsonl": "jsonl", ".md": "markdown", ".xml": "junit", ".txt": "table"}


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("adapter", nargs="*", default=["reference"], metavar="ADAPTER")
    selection_arguments(parser)
    parser.add_argument(
        "--way", action="append", default=[], metavar="GLOB",
        help="a way into a library, such as parse; all: every one (docs/libraries.md; default: the usual one)",
    )  # fmt: skip
    parser.add_argument(
        "--set", default="", dest="requirement_set", metavar="NAME",
        help="play exactly the rules and scenarios of a set that was frozen, such as 2026-11 ('conformance list sets')",
    )  # fmt: skip
    generated_arguments(parser)
    answering_arguments(parser)
    how = parser.add_argument_group("how")
    how.add_argument("-j", "--jobs", type=_jobs, metavar="N", help="worker processes (default: one a core)")
    engine_argument(how)
    how.add_argument("-x", "--exitfirst", action="store_true", help="stop at the first case that fails")
    how.add_argument("--timeout", type=_seconds, default=30.0, metavar="S", help="seconds for a case (default: 30)")
    how.add_argument("--baseline", type=Path, metavar="FILE", help="known failures, with reason, link and expiry")
    how.add_argument(
        "--failed-from", type=Path, metavar="FILE", help="play only what failed in this result (a .json of --out)"
    )
    how.add_argument(
        "--tolerance", action="store_true",
        help="let a run fail, too, for what only hosts do that deviate from providers",
    )
    how.add_argument("--dry-run", action="store_true", help="list the cases that would run")
    out = parser.add_argument_group("output")
    out.add_argument("--format", choices=FORMATS, help="what to print (default: table)")
    out.add_argument(
        "--out", type=Path, action="append", default=[], metavar="FILE",
        help="write a file too; its format follows its suffix (.json .jsonl .md .xml), or is that of --format",
    )  # fmt: skip
    out.add_argument(
        "--write-baseline", type=Path, metavar="FILE",
        help="write what fails as a baseline; entries of --baseline that are needed still are kept",
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
    files = [(path, _format_of(path, options.format)) for path in options.out]
    _check_baseline(options)
    run = _run(options)
    _say_what_changed(options.requirement_set)
    if options.dry_run:
        return _show(run, options.format or "table")
    follow_run(run, quiet=options.format not in (None, "table"))
    with finishing():
        code = _report(run.result.document, files, options, run.result.exit_code)
        if options.write_baseline is not None and not run.result.interrupted:
            _write_baseline(run, options.write_baseline)
    if run.result.interrupted:
        return code
    if options.generated == "all" or options.seed is not None:
        _write_found(run, options.found)
    return code


def _say_what_changed(name: str) -> None:
    """Say which scenarios of a set are not played, because they are not what they were."""
    from conformance.report.printing import say_to

    if not name:
        return
    from conformance.sets import playable_set

    one = playable_set(name)
    if one.changed:
        shown = ", ".join(one.changed[:3]) + (" …" if len(one.changed) > 3 else "")
        words = f"{len(one.changed)} scenarios are not what they were in suite {one.suite}, and are not played: {shown}"
        say_to(sys.stderr, f"conformance: set {name} is not whole: {words}\n")


def _check_baseline(options: argparse.Namespace) -> None:
    """A baseline that is there is only replaced by whoever holds the run against it. Raises `UsageError`."""
    path = options.write_baseline
    if path is None:
        return
    if path.exists() and (options.baseline is None or not path.samefile(options.baseline)):
        raise UsageError(f"--write-baseline {path}: is there already: with --baseline {path}, its entries are kept")
    if options.failed_from is not None or options.exitfirst:
        raise UsageError("--write-baseline needs a whole run: leave out --failed-from and --exitfirst")
    check_writable(path, "--write-baseline")


def _write_baseline(run: Run, path: Path) -> None:
    """Write what fails as a baseline, and say so."""
    import datetime

    from conformance.files.whole import write_text
    from conformance.report.known_failures import known_failures
    from conformance.report.printing import say_to

    narrow = run.settings.selection.scenarios or run.settings.selection.deliveries
    text = known_failures(run.result.document, run.settings.baseline, datetime.date.today(), whole=not narrow)
    try:
        write_text(path, text)
    except OSError as problem:
        raise UsageError(f"--write-baseline {path}: {problem.strerror}") from None
    count = text.count("- rule: ")
    say_to(sys.stderr, f"conformance: {path}: {count} known failures; from now on: --baseline {path}\n")


def _write_found(run: Run, folder: Path) -> None:
    """Small scenario files for what failed only in scenarios that no file has."""
    from conformance.report.printing import say_to
    from conformance.runner.found import found_scenarios
    from conformance.scenarios import ScenarioError

    try:
        for one in found_scenarios(run.result.document, run.settings.selection, folder):
            words = f"breaks {one.rule} on {one.provider}; play it: {shlex.join(one.command)}"
            say_to(sys.stderr, f"conformance: {one.path}: {words}\n")
    except (OSError, ScenarioError) as problem:
        raise UsageError(f"--found {folder}: {problem}") from None


def _run(options: argparse.Namespace) -> Run:
    from conformance.runner.entry import run

    return run(
        *options.adapter,
        **selection_options(options),
        requirement_set=options.requirement_set,
        ways=options.way,
        responder=options.responder,
        cassettes=options.cassettes,
        models=by_provider("--model", options.model, options.provider),
        base_urls=by_provider("--base-url", options.base_url, options.provider),
        repeat=options.repeat,
        allow_shell=options.allow_shell,
        jobs=options.jobs,
        timeout=options.timeout,
        exitfirst=options.exitfirst,
        baseline=options.baseline or (),
        failed_from=options.failed_from,
        command=shlex.join(["conformance", *sys.argv[1:]]),
        engine=options.engine,
    )


def _show(run: Run, kind: str) -> int:
    """List the cases that would run."""
    from conformance.report.printing import say, say_document
    from conformance.report.writers import planned_cases, planned_text
    from conformance.runner.events import RunPlan

    if kind not in ("table", "json", "jsonl"):
        raise UsageError(f"--dry-run has no format {kind}: use table, json or jsonl")
    with run:
        plan = next(run)
    assert isinstance(plan, RunPlan)
    cases = list(planned_cases(plan.groups))
    if kind != "table":
        say_document(planned_text(cases, kind))
        return 0 if cases else 4
    for case in cases:
        note = f"  (unsupported: {case['unsupported']})" if "unsupported" in case else ""
        say(f"{case['adapter']} {case['provider']} {case['scenario']}/{case['delivery']}{note}")
    return 0 if plan.groups else 4


def _format_of(path: Path, chosen: str | None) -> str:
    kind = SUFFIXES.get(path.suffix, chosen)
    if kind is None:
        close = get_close_matches(path.suffix, SUFFIXES, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise UsageError(f"--out {path}: unknown suffix{hint}; use {', '.join(SUFFIXES)}, or give --format")
    check_writable(path)
    return kind


def _report(document: Any, files: list[tuple[Path, str]], options: argparse.Namespace, code: int) -> int:
    from conformance.files.whole import write_text
    from conformance.masking.door import SecretRemainsError
    from conformance.report.printing import say_document
    from conformance.report.writers import formatted_result

    for path, kind in files:
        try:
            write_text(path, formatted_result(document, kind, verbose=options.verbose))
        except OSError as problem:
            raise UsageError(f"--out {path}: {problem.strerror}") from None
        except SecretRemainsError as problem:
            raise UsageError(f"--out {path}: {problem}") from None
    shown = options.format or "table"
    if shown == "table":
        from conformance.report.terminal import print_matrix

        print_matrix(document, verbose=options.verbose)
    elif not any(kind == shown for _, kind in files):
        say_document(formatted_result(document, shown, verbose=options.verbose))
    return code
