"""Measure which forms of the providers' formats the scenarios cover, and which of them a rule looks at.

Every scenario is played with the reference adapter, blocking and as a stream. What the forms are, and what is measured,
is in docs/coverage.md.

example:
  conformance coverage anthropic                        what is covered, and what is not
  conformance coverage --against reports/coverage.json  what is worse than it was
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path

from conformance.cli import UsageError
from conformance.cli.outputs import check_writable


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("provider", nargs="*", metavar="PROVIDER", help="such as anthropic (default: all)")
    parser.add_argument(
        "--traffic", action="append", type=Path, default=[], metavar="FILE",
        help="count the forms that are in this recorded traffic, instead of those that are known",
    )  # fmt: skip
    parser.add_argument("--format", choices=("text", "json", "markdown"), default="text", help="default: %(default)s")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write it to a file")
    parser.add_argument("--against", type=Path, metavar="FILE", help="a document of --format json: say what is worse")
    parser.add_argument("--forms", type=Path, metavar="FILE", help="write the recorded forms to a file")


def main(options: argparse.Namespace) -> int:
    """Measure and report. Returns the exit code: 1 when something is worse than in --against."""
    from conformance.coverage.document import coverage_document, worse
    from conformance.dialects.trying import measured
    from conformance.wires import PROVIDERS

    providers = options.provider or list(PROVIDERS)
    _check(providers, PROVIDERS)
    check_writable(options.out)
    check_writable(options.forms, "--forms")
    before = _read(options.against)
    recorded = _recorded(options)
    found = [measured(provider, recorded.get(provider, {})) for provider in providers]
    _write(_written(coverage_document(found), options.format), options.out)
    lines = list(worse(before, found)) if before is not None else []
    _write("".join(f"{line}\n" for line in lines), None)
    return 1 if lines else 0


def _check(chosen: list[str], known: tuple[str, ...]) -> None:
    from conformance.hints import nearest

    for name in chosen:
        if name not in known:
            raise UsageError(f"unknown provider {name!r}{nearest(name, known)}")


def _recorded(options: argparse.Namespace) -> Mapping[str, Mapping[str, int]]:
    from conformance.coverage.measure import packaged
    from conformance.coverage.recorded import forms_recorded, recorded_text

    for path in options.traffic:
        if not path.exists():
            raise UsageError(f"{path}: no such file or folder")
    found = forms_recorded(options.traffic, _tell) if options.traffic else packaged()
    if not found:
        raise UsageError(f"no exchange to count in {', '.join(map(str, options.traffic))}")
    if options.forms is not None:
        _write(recorded_text(found), options.forms)
    return found


def _tell(line: str) -> None:
    """Say that a record cannot be read: it counts nothing."""
    from conformance.report.printing import say_to
    from conformance.wording import on_one_line

    say_to(sys.stderr, f"conformance: {on_one_line(line)}\n")


def _read(path: Path | None) -> dict[str, object] | None:
    from conformance.coverage.document import CoverageError, read_coverage

    try:
        return None if path is None else read_coverage(path)
    except CoverageError as problem:
        raise UsageError(f"--against {problem}") from None


def _written(document: dict[str, object], kind: str) -> str:
    from conformance.coverage.pages import coverage_markdown, coverage_text

    if kind == "json":
        return json.dumps(document, ensure_ascii=False, indent=1) + "\n"
    return coverage_markdown(document) if kind == "markdown" else coverage_text(document)


def _write(text: str, path: Path | None) -> None:
    from conformance.files.whole import write_text
    from conformance.report.printing import say_to

    if path is None:
        say_to(sys.stdout, text)
        return
    try:
        write_text(path, text)
    except OSError as problem:
        raise UsageError(f"{path}: cannot write there: {problem.strerror}") from None
