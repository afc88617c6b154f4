"""Play releases of a library, each in an environment of its own, and show since when each rule passes or fails.

    conformance history ollama                      the last eight releases
    conformance history openai --each minor         the last release of each of the last eight minor versions
    conformance history openai --from 1.50.0 --provider openai-chat --format json --out openai.json

What a release cannot do is unsupported. What keeps a release from being judged (no environment, a shim that does not
fit) blames nobody, and is told. What was played is kept in the user's cache: the same command goes on where it was
ended (docs/history.md).

Exits with 0 when releases were judged, 4 when none was, and 5 when that is because the shim fits none of them.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformance.cli import UsageError
from conformance.cli.outputs import check_writable
from conformance.cli.releasing import (
    chosen_releases,
    library_named,
    release_arguments,
    remark,
    settings_of,
    walk_of,
)
from conformance.cli.selecting import engine_argument, selection_arguments

if TYPE_CHECKING:
    from conformance.history.record import ReleaseRecord

LAST = 8
FORMATS = ("table", "json", "markdown")
SUFFIXES = {".json": "json", ".md": "markdown", ".txt": "table"}


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("library", metavar="LIBRARY", help="its name, as 'conformance list adapters' has it")
    release_arguments(parser, last=LAST)
    selection_arguments(parser)
    play_arguments(parser)
    out = parser.add_argument_group("output")
    out.add_argument("--format", choices=FORMATS, default="table", help="what to print (default: %(default)s)")
    out.add_argument(
        "--out", type=Path, action="append", default=[], metavar="FILE",
        help="write a file too; its format follows its suffix (.json .md .txt)",
    )  # fmt: skip
    out.add_argument("-v", "--verbose", action="store_true", help="a row for every rule")


def play_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options about how a release is played."""
    how = parser.add_argument_group("how")
    how.add_argument("-j", "--jobs", type=int, metavar="N", help="worker processes (default: one a core)")
    engine_argument(how)
    how.add_argument("--timeout", type=float, default=30.0, metavar="S", help="seconds for a case (default: 30)")


def main(options: argparse.Namespace) -> int:
    """Play and show. Returns the exit code."""
    from conformance.files.whole import write_text
    from conformance.history.document import history_document
    from conformance.report.printing import say_document, say_to

    files = [(path, _format_of(path)) for path in options.out]
    settings = settings_of(options)
    releases = chosen_releases(options)
    records = walk_of(options).all_played(releases, settings)
    told = {key: value for key, value in settings.items() if key not in ("jobs", "engine")}
    command = shlex.join(["conformance", *sys.argv[1:]])
    document = history_document(options.library, library_named(options.library), records, told, command)
    for path, kind in files:
        try:
            write_text(path, _written(document, kind, options))
        except OSError as problem:
            raise UsageError(f"--out {path}: {problem.strerror}") from None
    text = _written(document, options.format, options)
    if options.format == "json":
        say_document(text)
    else:
        say_to(sys.stdout, text)
    return exit_code(records)


def _written(document: Any, kind: str, options: argparse.Namespace) -> str:
    from conformance.report.history import history_lines, history_markdown
    from conformance.report.summary import plain
    from conformance.result import as_text

    if kind == "json":
        return as_text(document)
    if kind == "markdown":
        return history_markdown(document)
    return "".join(f"{plain(line)}\n" for line in history_lines(document, verbose=options.verbose))


def exit_code(records: Sequence[ReleaseRecord]) -> int:
    """0 where something was judged; else 5 where no shim fits, and 4."""
    from conformance.runner.conclusion import CONFORMS, DOES_NOT_FIT, NOTHING_RAN

    standings = [record.standing for record in records]
    late = standings.count("out_of_time")
    if late:
        remark(f"the time was over before {late} of {len(standings)} releases: the same command goes on from there")
    if "played" in standings:
        return CONFORMS
    return DOES_NOT_FIT if "misfit" in standings else NOTHING_RAN


def _format_of(path: Path) -> str:
    kind = SUFFIXES.get(path.suffix)
    if kind is None:
        raise UsageError(f"--out {path}: unknown suffix; use {', '.join(SUFFIXES)}")
    check_writable(path)
    return kind
