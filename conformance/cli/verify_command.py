"""Verify a certificate: play its subject again, from name, version and lock file, and compare cell by cell.

    conformance verify openai.zip
    conformance verify mine.zip --adapter ./mine.py

A library is installed in an environment of its own, with the versions of the lock file, and removed afterwards. Where
the subject cannot be played, the first line says "transcript only": then what it said is judged again by today's rules.
--transcript-only asks for that. An archive is never trusted: what is wrong with it is one line (docs/certificates.md).

Exits with 0 when all cells came to the same, 1 when one did not, 2 when the archive is no certificate, and 4 when
nothing could be compared.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.cli import UsageError

if TYPE_CHECKING:
    from conformance.certificates.verifying import Verification
    from conformance.documents import Document


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("file", type=Path, metavar="FILE", help="what 'conformance certificate' wrote")
    parser.add_argument("--adapter", metavar="ADDRESS", help="where the subject is, if it is no library of ours")
    parser.add_argument("--transcript-only", action="store_true", help="install and play nothing: judge what was said")
    parser.add_argument("-j", "--jobs", type=int, metavar="N", help="worker processes (default: one a core)")


def main(options: argparse.Namespace) -> int:
    """Verify. Returns the exit code."""
    from conformance.certificates.archive import ArchiveError, opened, read_archive
    from conformance.certificates.verifying import verified
    from conformance.report.printing import say
    from conformance.report.summary import plain
    from conformance.runner.conclusion import CONFORMS, FAILS, NOTHING_RAN

    try:
        contents = read_archive(options.file)
        about, result = opened(contents)
    except ArchiveError as problem:
        raise UsageError(f"verify: {plain(str(problem))}") from None
    found = verified(
        about, result, contents, adapter=options.adapter, play=not options.transcript_only, jobs=options.jobs
    )
    for line in _lines(about, found):
        say(plain(line))
    if not found.compared:
        return NOTHING_RAN
    return FAILS if found.differing or found.missing else CONFORMS


def _lines(about: Document, found: Verification) -> Iterator[str]:
    subject = f"{about['subject']['name']} {about['subject']['version']}"
    how = f"transcript only: {found.only_transcript}" if found.only_transcript else f"{subject} was played again"
    yield how
    chosen = about["selection"].get("requirement_set")
    issued = f"{about['issued'][:10]} by suite {about['suite']['version']}{f', set {chosen}' if chosen else ''}"
    yield f"certificate of {subject}, issued {issued}"
    if not found.same_suite:
        yield "this suite is another: what differs may be the suite's doing, and not the subject's"
    for (provider, rule), (then, now) in found.differing.items():
        yield f"  {provider} {rule}: {then} then, {now} now"
    for provider, rule in found.missing:
        yield f"  {provider} {rule}: judged then, and not now"
    all_cells = found.compared + len(found.missing)
    yield f"reproduced {found.same} of {all_cells} cells"
