"""What `conformance audit` and `conformance merge` do with stretches that were judged."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformance.cli import UsageError
from conformance.cli.outputs import check_writable

if TYPE_CHECKING:
    from conformance.traffic.gathered import GatheredAudit
    from conformance.traffic.shards import AuditOrder, JudgedStretch

SHOWN_BROKEN = 20

OUT_SUFFIXES = (".json", ".jsonl", ".parquet", ".sarif")


def output_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options about what is told, and where."""
    parser.add_argument(
        "--format", choices=("table", "json", "jsonl", "sarif", "markdown"), default="table",
        help="markdown: of rates alone (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--rates", nargs="?", const="day", choices=("total", "day", "hour"), metavar="PERIOD",
        help="tell how often something is wrong instead: by total, day (default) or hour, and by model, host and rule",
    )  # fmt: skip
    parser.add_argument(
        "--out", type=Path, metavar="FILE",
        help="write the findings too: as JSON Lines (.jsonl), as one document (.json), for code hosts (.sarif), or as "
        "a table (.parquet, which needs the extra 'parquet')",
    )  # fmt: skip
    parser.add_argument("-v", "--verbose", action="store_true", help="every finding, and rules without findings")


def check_out(path: Path | None) -> None:
    """Raises `UsageError` for a file that cannot be written, or not in any known format."""
    check_writable(path)
    if path is not None and path.suffix not in OUT_SUFFIXES:
        raise UsageError(f"--out {path}: unknown suffix; use {', '.join(OUT_SUFFIXES)}")


def check_rates(options: argparse.Namespace) -> None:
    """Raises `UsageError` for formats that rates do not have, or that they alone have."""
    if options.rates and options.format in ("jsonl", "sarif"):
        raise UsageError(f"--rates has no --format {options.format}: use json")
    if options.format == "markdown" and not options.rates:
        raise UsageError("--format markdown is of rates alone: add --rates")


def told(order: AuditOrder, stretches: Iterable[JudgedStretch], options: argparse.Namespace) -> int:
    """Tell what is in the stretches, as they come where that can be. Returns the exit code."""
    from conformance.report.audit_lines import lines_of_stretch, summary_line
    from conformance.report.audit_table import SHOWN_FINDINGS, print_audit
    from conformance.report.printing import say_document, say_to
    from conformance.traffic.gathered import GatheredAudit

    whole = options.format in ("json", "sarif") or options.verbose or (options.out and options.out.suffix in DOCUMENTS)
    kept = None if whole else 0 if options.format == "jsonl" else SHOWN_FINDINGS
    audit = GatheredAudit(order, kept)
    with _file(options.out) as file, _Progress(show=sys.stderr.isatty() and options.format == "table") as progress:
        for stretch in stretches:
            audit.add(stretch)
            file.add(stretch)
            progress.show(audit)
            if options.format == "jsonl":
                say_document(lines_of_stretch(stretch))
        file.end(audit)
    if options.rates:
        _tell_rates(audit, options)
    elif options.format == "json":
        say_document(_document(audit))
    elif options.format == "jsonl":
        say_document(summary_line(audit))
    elif options.format == "sarif":
        say_document(_sarif(audit))
    else:
        print_audit(audit, verbose=options.verbose)
    for one in audit.broken[:SHOWN_BROKEN]:
        words = f"{one['rule']} broke at {one['source']}:{one['line']}: {one['why']}; please report it"
        say_to(sys.stderr, f"conformance: {words}\n")
    return audit.exit_code


def _tell_rates(audit: GatheredAudit, options: argparse.Namespace) -> None:
    from conformance.report.printing import say_document, say_to
    from conformance.report.rates_table import rates_lines, rates_markdown
    from conformance.report.summary import plain
    from conformance.traffic.rates import rates, rates_document

    found = rates(audit.rates.rows(), options.rates)
    if options.format == "json":
        document = rates_document(found, options.rates, audit.exchanges, audit.reasons.total())
        say_document(json.dumps(document, ensure_ascii=False, indent=1) + "\n")
        return
    tell = rates_markdown if options.format == "markdown" else rates_lines
    say_to(sys.stdout, "".join(f"{plain(line)}\n" for line in tell(found, options.rates)))


# --- files ------------------------------------------------------------------------------------------------------------


class _NoFile:
    """Takes what nobody wants in a file."""

    def add(self, stretch: JudgedStretch) -> None:
        """Take a stretch."""

    def end(self, gathered: GatheredAudit) -> None:
        """Take the end."""


class _LinesFile(_NoFile):
    """Writes JSON Lines as they come."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def add(self, stretch: JudgedStretch) -> None:
        from conformance.report.audit_lines import lines_of_stretch

        self._write(lines_of_stretch(stretch))

    def end(self, gathered: GatheredAudit) -> None:
        from conformance.report.audit_lines import summary_line

        self._write(summary_line(gathered))

    def _write(self, text: str) -> None:
        from conformance.masking.door import own_mask

        self._file.write(own_mask().known(text))


class _DocumentFile(_NoFile):
    """Writes one document, at the end."""

    def __init__(self, path: Path, text: Callable[[GatheredAudit], str]) -> None:
        self._path, self._text = path, text

    def end(self, gathered: GatheredAudit) -> None:
        from conformance.files.whole import write_whole
        from conformance.masking.door import own_mask

        write_whole(self._path, own_mask().known(self._text(gathered)).encode("utf-8", "backslashreplace"))


def _document(audit: GatheredAudit) -> str:
    return json.dumps(audit.document(), ensure_ascii=False, indent=1) + "\n"


def _sarif(audit: GatheredAudit) -> str:
    from conformance.report.sarif import audit_sarif, sarif_text

    return sarif_text(audit_sarif(audit.findings, audit.unreadable, audit.broken))


DOCUMENTS: Mapping[str, Callable[[GatheredAudit], str]] = {".json": _document, ".sarif": _sarif}
"""What writes an audit as one document, by suffix."""


@contextlib.contextmanager
def _file(path: Path | None) -> Iterator[Any]:
    """What takes the stretches for a file."""
    try:
        if path is None:
            yield _NoFile()
        elif path.suffix == ".parquet":
            from conformance.report.audit_parquet import parquet_findings

            with parquet_findings(path) as findings:
                yield findings
        elif path.suffix in DOCUMENTS:
            yield _DocumentFile(path, DOCUMENTS[path.suffix])
        else:
            with path.open("w", encoding="utf-8", errors="backslashreplace") as file:
                yield _LinesFile(file)
    except ModuleNotFoundError as problem:
        raise UsageError(
            f"--out {path}: it needs {problem.name}: pip install 'toolcall-conformance[parquet]'"
        ) from None
    except OSError as problem:
        raise UsageError(f"--out {path}: {problem.strerror or problem}") from None


class _Progress:
    """A line on standard error, on a terminal, that counts: how much is to come is not known."""

    def __init__(self, *, show: bool) -> None:
        self._status: Any = None
        if show:
            from rich.console import Console

            self._status = Console(stderr=True).status("reading")

    def __enter__(self) -> _Progress:
        if self._status is not None:
            self._status.start()
        return self

    def show(self, audit: GatheredAudit) -> None:
        """Say how far it is."""
        if self._status is not None:
            self._status.update(f"{audit.exchanges} exchanges, {audit.found.total()} findings")

    def __exit__(self, *problem: object) -> None:
        if self._status is not None:
            self._status.stop()
