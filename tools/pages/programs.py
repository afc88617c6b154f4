"""Makes programs that show what libraries do wrong: each needs only its library.

    python tools/pages/programs.py [NAME ...]         reports/libraries/programs, and the pages that link them
    python tools/pages/programs.py --all --to DIR     one for every finding, for a release

Published are those of faults that providers reject or that lose something, if they are small. Programs are made where
the libraries are: in the environments that ``conformance env`` made (``tools/pages/libraries.py``).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from libraries import HERE, JUDGED, RESULT, reports

from conformance.adapters.libraries import LIBRARIES
from conformance.documents import Document
from conformance.environments.kinds import kind
from conformance.judgements import FailedCase, Judgement, read_judgements
from conformance.report.script import NoScriptError, script
from conformance.report.script.language import WIDTH
from conformance.report.script.layout import LINES

PROGRAMS = HERE / "programs"
TRIES = 3
"""How many cells of a finding are tried until one gives a program."""


def is_published(finding: Judgement) -> bool:
    """Whether the program for a finding is kept in the repository."""
    return finding.judgement == "fault" and finding.consequence in ("rejected", "lost")


def program(adapter: str, finding: Judgement) -> str:
    """The smallest program for a finding, of the first cells that have one. Raises `NoScriptError` when none has."""
    document: Document = json.loads(RESULT.read_text("utf-8"))
    texts, problems = [], ["nothing of it failed"]
    for cell in list(_cells(document, adapter, finding))[:TRIES]:
        try:
            texts.append(script(document, cell))
        except NoScriptError as problem:
            problems.append(str(problem))
            continue
        if is_small(texts[-1]):
            return texts[-1]
    if not texts:
        raise NoScriptError(problems[-1])
    return min(texts, key=len)


def _cells(document: Document, adapter: str, finding: Judgement) -> Iterator[Document]:
    """The cells that show a finding, with the failures that it explains."""
    for cell in document["cells"]:
        where = (cell["provider"], cell["rule"])
        failures = [item for item in cell["failures"] if finding.explains(FailedCase(*where, item["case"]))]
        if cell["adapter"] == adapter and failures:
            yield {**cell, "failures": failures}


def is_small(text: str) -> bool:
    """Whether a program can be read at a glance."""
    lines = text.splitlines()
    return len(lines) <= LINES and max(map(len, lines)) <= WIDTH


def size(text: str) -> str:
    """How large a program is."""
    lines = text.splitlines()
    return f"{len(lines)} lines of up to {max(map(len, lines))} columns"


def made(adapter: str, finding: Judgement) -> str | NoScriptError:
    """`program`, with its problem as a value."""
    try:
        return program(adapter, finding)
    except NoScriptError as problem:
        return problem


def main() -> int:
    """Returns 1 when a finding that should have a program has none, or a long one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(LIBRARIES)}")
    parser.add_argument("--all", action="store_true", help="of every finding, however long")
    parser.add_argument("--to", type=Path, default=PROGRAMS, metavar="DIR", help="default: reports/libraries/programs")
    asked = parser.parse_args()
    wanted = [
        (judged.adapter, finding)
        for judged in read_judgements(JUDGED)
        for finding in judged.findings
        if judged.adapter in (asked.names or LIBRARIES) and (asked.all or is_published(finding))
    ]
    lacking = 0
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for (adapter, finding), text in zip(wanted, pool.map(made, *zip(*wanted, strict=True)), strict=True):
            suffix = kind(LIBRARIES[adapter].kind).suffix
            file = asked.to / adapter / (finding.id + suffix)
            file.unlink(missing_ok=True)
            if isinstance(text, NoScriptError) or not (asked.all or is_small(text)):
                lacking += 1
                why = text if isinstance(text, NoScriptError) else size(text)
                print(f"{adapter}/{finding.id}: {why}", flush=True)
                continue
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8")
    print(f"{len(wanted) - lacking} of {len(wanted)} programs")
    if asked.to == PROGRAMS:
        reports()
    return int(lacking > 0)


if __name__ == "__main__":
    sys.exit(main())
