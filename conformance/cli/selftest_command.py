"""Play adapters that are wrong on purpose, and see which rules name their faults.

A mutant is the reference adapter with one thing wrong: written by hand (adapter:...), or made by bending what it sends
(request:...), what it reads (answer:..., stream:...) or what it understands (turn:...). A rule that kills none proves
nothing, and a mutant that no rule names is a gap. See docs/selftest.md.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
import time
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformance.cli import UsageError
from conformance.cli.outputs import check_writable

if TYPE_CHECKING:
    from conformance.mutants.run import MutantSelection, Share

FORMATS = ("table", "json", "markdown")
HARNESS_FAILED = 3


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    what = parser.add_argument_group("what to try (each may be given several times; default: everything)")
    what.add_argument("--provider", action="append", default=[], metavar="GLOB", help="such as gemini")
    what.add_argument("--mutant", action="append", default=[], metavar="GLOB", help="such as 'adapter:*'")
    what.add_argument("--rule", action="append", default=[], metavar="GLOB", help="such as 'common.result.*'")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="worker processes")
    parser.add_argument("--format", choices=FORMATS, default="table", help="what to print (default: %(default)s)")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write what would be printed to a file")
    parser.add_argument(
        "--kills", type=Path, metavar="FILE", help="write the data that explain shows: the kills of each rule, in short"
    )
    parser.add_argument("-v", "--verbose", action="store_true", help="a line for every rule")


def main(options: argparse.Namespace) -> int:
    """Play and report. Returns the exit code: 1 when a rule kills nothing or a mutant that must die survives."""
    from conformance.mutants.run import play_all
    from conformance.mutants.score import Score

    wanted = _wanted(options)
    if options.kills is not None and (wanted.providers or wanted.mutants or wanted.rules):
        raise UsageError("--kills needs everything: no --provider, --mutant or --rule")
    check_writable(options.out)
    check_writable(options.kills, "--kills")
    started = time.perf_counter()
    try:
        with _Progress(show=sys.stderr.isatty()) as progress:
            shares = play_all(wanted, jobs=max(1, options.jobs), tell=progress.tell)
    except Exception:
        from conformance.report.printing import say_to

        say_to(sys.stderr, traceback.format_exc())
        return HARNESS_FAILED
    _check_mutants(shares)
    score = Score(wanted, shares)
    document = score.document(_command(), time.perf_counter() - started)
    if options.kills is not None:
        from conformance.mutants.kills import kills_text

        _write(kills_text(document), options.kills, "--kills")
    _write(_written(document, options), options.out)
    return 1 if score.problems else 0


def _command() -> str:
    """The command line, without what does not change what comes out."""
    words = iter(sys.argv[1:])
    kept = ["conformance"]
    for word in words:
        if word in ("-j", "--jobs", "--out", "--kills"):
            next(words, None)
        elif not word.startswith(("-j", "--jobs=", "--out=", "--kills=")):
            kept.append(word)
    return shlex.join(kept)


def _wanted(options: argparse.Namespace) -> MutantSelection:
    """What the options ask for. Raises `UsageError` for a glob that matches nothing."""
    from fnmatch import fnmatchcase

    from conformance.hints import nearest
    from conformance.mutants.run import MutantSelection
    from conformance.rules import rule_names
    from conformance.wires import PROVIDERS

    for what, globs, names in (("provider", options.provider, PROVIDERS), ("rule", options.rule, rule_names())):
        for glob in globs:
            if not any(fnmatchcase(name, glob) for name in names):
                raise UsageError(f"no {what} matches {glob!r}{nearest(glob, list(names))}")
    chosen = [name for name in PROVIDERS if any(fnmatchcase(name, glob) for glob in options.provider)]
    return MutantSelection(tuple(chosen), tuple(options.mutant), tuple(options.rule))


def _check_mutants(shares: Sequence[Share]) -> None:
    """Raises `UsageError` for a glob that matches no mutant. Which ones there are shows only when they are made."""
    from conformance.hints import nearest

    for glob in frozenset.intersection(*(share.missed for share in shares)):
        names = list(dict.fromkeys(name for share in shares for name in share.names))
        raise UsageError(f"no mutant on these providers matches {glob!r}{nearest(glob, names, 'docs/selftest.md')}")


def _written(document: dict[str, Any], options: argparse.Namespace) -> str:
    from conformance.report.selftest import lines, selftest_markdown

    if options.format == "json":
        return json.dumps(document, ensure_ascii=True, indent=1) + "\n"
    if options.format == "markdown":
        return selftest_markdown(document)
    return "\n".join(lines(document, verbose=options.verbose)) + "\n"


def _write(text: str, out: Path | None, option: str = "--out") -> None:
    from conformance.files.whole import write_text
    from conformance.report.printing import say_to

    if out is None:
        say_to(sys.stdout, text)
        return
    try:
        write_text(out, text)
    except OSError as problem:
        raise UsageError(f"{option} {out}: {problem.strerror}") from None


class _Progress:
    """A line on standard error, on a terminal, that counts. How much is to come shows as the workers find out."""

    def __init__(self, *, show: bool) -> None:
        self._total = self._done = 0
        self._status: Any = None
        if show:
            from rich.console import Console

            self._status = Console(stderr=True).status("recording the reference adapter")

    def __enter__(self) -> _Progress:
        if self._status is not None:
            self._status.start()
        return self

    def tell(self, more: int, done: int) -> None:
        """There are ``more`` mutants to play, and ``done`` of them have been."""
        self._total += more
        self._done += done
        if self._status is not None:
            self._status.update(f"{self._done} of {self._total} mutants")

    def __exit__(self, *problem: object) -> None:
        if self._status is not None:
            self._status.stop()
