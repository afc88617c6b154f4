"""Judge recorded traffic by every rule that needs no adapter.

A PATH is a file or a folder: cassettes of vcrpy (.yaml, .json), JSON Lines (.jsonl), HTTP archives (.har), each also
with .gz or .zst. Requests are judged by the rules about building them, streams and answers by the providers' grammars,
and turns that belong together by what must be kept between them. See docs/auditing.md.

With --secrets nothing is judged: the same files are searched for keys, tokens, cookies and account ids. What is found
is told by its place, and never shown. See docs/recording.md.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformance.cli import UsageError

if TYPE_CHECKING:
    from conformance.traffic.audit import Audit

SHOWN_EVERY = 50
"""After how many exchanges progress is shown again."""

SHOWN_BROKEN = 20

COLLECTED_EVERY = (100_000, 20, 100)
"""After how many new objects Python looks for garbage, and how often it looks at those that stayed."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("path", nargs="+", type=Path, metavar="PATH")
    parser.add_argument("--rule", action="append", default=[], metavar="GLOB", help="such as 'common.result.*'")
    parser.add_argument(
        "--profile", choices=("portable", "native"), default="native",
        help="native: what each provider can do; portable: also what all providers share (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument("--format", choices=("table", "json", "jsonl"), default="table", help="default: %(default)s")
    parser.add_argument("-v", "--verbose", action="store_true", help="every finding, and rules without findings")
    parser.add_argument("--secrets", action="store_true", help="search for secrets instead of judging")


def main(options: argparse.Namespace) -> int:
    """Audit and report. Returns the exit code: 1 when a must is broken, 3 when a rule broke down, 4 when there was
    nothing to judge."""
    from conformance.report.audit_table import print_audit
    from conformance.report.printing import say_document, say_to
    from conformance.traffic.audit import Audit

    for path in options.path:
        if not path.exists():
            raise UsageError(f"{path}: no such file or folder")
    if options.secrets:
        return _secrets(options)
    _collect_less()
    audit = Audit(options.profile, _globs(options.rule))
    if options.format == "jsonl":
        return _as_lines(audit, options.path)
    _read(audit, options.path, quiet=options.format != "table")
    document = audit.document()
    if options.format == "json":
        say_document(json.dumps(document, ensure_ascii=False, indent=1) + "\n")
    else:
        print_audit(document, verbose=options.verbose)
    for one in audit.broken[:SHOWN_BROKEN]:
        say_to(sys.stderr, f"conformance: {one.rule} broke at {one.source}:{one.line}: {one.why}; please report it\n")
    if audit.broken:
        return 3
    if any(finding.rule.level == "must" for finding in audit.findings):
        return 1
    return 0 if audit.judged else 4


def _as_lines(audit: Audit, paths: list[Path]) -> int:
    """Judge, and print what is found at once: nothing is kept but the counts. Returns the exit code."""
    from conformance.report.audit_lines import AuditLines
    from conformance.report.printing import say_document
    from conformance.traffic.files import find_files

    lines = AuditLines(audit)
    for path in find_files(paths):
        for _ in audit.read(path):
            say_document(lines.taken())
    say_document(lines.taken() + lines.summary())
    if lines.broken:
        return 3
    if lines.musts:
        return 1
    return 0 if audit.judged else 4


def _collect_less() -> None:
    """Look for circles of garbage less often: exchanges are trees, and the rules that are loaded stay."""
    gc.freeze()
    gc.set_threshold(*COLLECTED_EVERY)


def _secrets(options: argparse.Namespace) -> int:
    """Search for secrets. Returns the exit code: 1 when there are some, 4 when there was nothing to search."""
    from conformance.masking.door import own_mask
    from conformance.report.printing import say_document, say_to
    from conformance.report.secrets_table import secrets_lines
    from conformance.traffic.files import find_files
    from conformance.traffic.secrets import SecretAudit

    audit = SecretAudit()
    for path in find_files(options.path):
        for _ in audit.read(path):
            pass
    document = own_mask().json(audit.document())
    if options.format == "json":
        say_document(json.dumps(document, ensure_ascii=False, indent=1) + "\n")
    else:
        say_to(sys.stdout, "".join(f"{line}\n" for line in secrets_lines(document)))
    if audit.found:
        return 1
    return 0 if audit.exchanges else 4


def _globs(globs: list[str]) -> tuple[str, ...]:
    from fnmatch import fnmatchcase

    from conformance.hints import nearest
    from conformance.rules import rule_names

    for glob in globs:
        if not any(fnmatchcase(name, glob) for name in rule_names()):
            raise UsageError(f"no rule matches {glob!r}{nearest(glob, rule_names())}")
    return tuple(globs)


def _read(audit: Audit, paths: list[Path], *, quiet: bool) -> None:
    from conformance.traffic.files import find_files

    with _Progress(show=sys.stderr.isatty() and not quiet) as progress:
        for path in find_files(paths):
            for _ in audit.read(path):
                progress.show(audit)


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

    def show(self, audit: Audit) -> None:
        """Say how far it is."""
        if self._status is not None and audit.exchanges % SHOWN_EVERY == 0:
            self._status.update(f"{audit.exchanges} exchanges, {len(audit.findings)} findings")

    def __exit__(self, *problem: object) -> None:
        if self._status is not None:
            self._status.stop()
