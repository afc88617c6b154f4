"""Make a page of results that 'conformance run --out result.json' wrote.

--out FILE.html is one file with everything inside. --out DIR is for static hosting: index.html and pieces in data/ that
are loaded when somebody asks for them, Markdown, badges and the result itself. Both need no server, and work from disk.

Several results become one matrix: adapters, or versions of one, beside each other, with what changed between them.

With --judgements each failure is shown with what somebody found who read it, findings.md lists them by adapter, and a
failure that nobody judged makes this exit 1.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Container, Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.cli import UsageError
from conformance.documents import Document

if TYPE_CHECKING:
    from conformance.judgements import AdapterJudgements
    from conformance.report.packing import Programs

SINGLE = (".html", ".htm")
"""How a page that is one file is called."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("result", nargs="+", type=Path, metavar="RESULT.json")
    parser.add_argument(
        "--judgements", type=Path, metavar="PATH",
        help="files NAME.yaml that say of each failure of an adapter what it means (see docs/judgements.md)",
    )  # fmt: skip
    parser.add_argument(
        "--out", type=Path, required=True, metavar="DIR|FILE.html", help="the folder, or the one file, to write"
    )


def main(options: argparse.Namespace) -> int:
    """Write the files. Returns the exit code."""
    from conformance.judgements import JudgementError, read_judgements
    from conformance.judgements.checks import complaints, with_judgements
    from conformance.judgements.classes import classed
    from conformance.masking.door import SecretRemainsError, own_mask
    from conformance.report.merge import MergeError, merged_results
    from conformance.report.printing import say_to
    from conformance.result import ResultError, masked_result, open_result

    try:
        every = read_judgements(options.judgements) if options.judgements else []
        results = merged_results([open_result(path) for path in options.result], beside=True)
        document = masked_result(with_judgements(results, every), own_mask())
    except (ResultError, MergeError, JudgementError) as problem:
        raise UsageError(str(problem)) from None
    write = _write_page if options.out.suffix in SINGLE else _write_folder
    try:
        write(document, classed(every, document), options.out)
    except SecretRemainsError as problem:
        raise UsageError(f"--out {options.out}: {problem}") from None
    except OSError as problem:
        raise UsageError(f"--out {options.out}: {problem.strerror}") from None
    problems = [line for judged in every for line in complaints(judged, document)]
    for line in problems:
        say_to(sys.stderr, f"conformance: {line}\n")
    return 1 if problems else 0


def _write_page(document: Document, every: Sequence[AdapterJudgements], out: Path) -> None:
    from conformance.files.whole import write_pieces
    from conformance.report.html import page_pieces
    from conformance.report.printing import say

    programs = programs_of(out.parent)
    write_pieces(out, lambda: page_pieces(document, programs))
    say(str(out))


def _write_folder(document: Document, every: Sequence[AdapterJudgements], out: Path) -> None:
    from conformance.files.whole import write_pieces, write_text
    from conformance.report.badge import badges
    from conformance.report.html import INDEX, folder_files
    from conformance.report.printing import say
    from conformance.result import text_pieces

    programs = programs_of(out)
    texts = _texts(document, every, out)
    images = {f"badges/{name}": image for name, image in badges(document)}
    _refuse_keys(chain(texts.values(), images.values(), (text for _, text in folder_files(document, programs))))
    written = []
    for name, text in chain(texts.items(), images.items(), folder_files(document, programs)):
        write_text(out / name, text)
        written.append(name)
    write_pieces(out / "result.json", lambda: text_pieces(document))
    _remove_earlier(out / "data", {Path(name).name for name in written})
    for name in (*texts, "result.json", INDEX):
        say(str(out / name))
    say(f"{out / 'data'}: {sum(name.startswith('data/') for name in written)} pieces of the page")
    say(f"{out / 'badges'}: {len(images)} images")


def _texts(document: Document, every: Sequence[AdapterJudgements], out: Path) -> dict[str, str]:
    """What stands beside the page as text."""
    from conformance.masking.door import own_mask
    from conformance.report.coverage import coverage
    from conformance.report.findings import findings
    from conformance.report.markdown import markdown

    texts = {"matrix.md": markdown(document), "coverage.md": coverage(document)}
    if every:
        links = {place: path.relative_to(out).as_posix() for place, path in _program_files(out).items()}
        texts["findings.md"] = own_mask().text(findings(document, list(every), links))
    return texts


def _refuse_keys(texts: Iterable[str]) -> None:
    """Write none of them where one holds a key that cannot be removed."""
    from conformance.masking.door import own_mask

    for text in texts:
        own_mask().checked(text)


def _remove_earlier(folder: Path, written: Container[str]) -> None:
    """Remove the pieces of an earlier page that had more of them."""
    from conformance.report.html import PIECE

    for path in folder.glob("*.js"):
        if PIECE.fullmatch(path.name) and path.name not in written:
            path.unlink()


MAX_PROGRAM = 100_000
"""How many bytes a program on the page may have, and what it printed."""


def _program_files(out: Path) -> dict[tuple[str, str], Path]:
    """Programs that show findings, where the folder has some: ``programs/ADAPTER/FINDING.*``."""
    found = sorted((out / "programs").glob("*/*.*"))
    return {(path.parent.name, path.stem): path for path in found}


def programs_of(out: Path) -> Programs:
    """Their texts, and what they printed (``outputs/ADAPTER/FINDING.txt``): each is shown with its finding."""
    from conformance.report.packing import Program

    texts = {place: _shown(path) for place, path in _program_files(out).items()}
    return {
        (adapter, finding): Program(text, _shown(out / "outputs" / adapter / f"{finding}.txt"))
        for (adapter, finding), text in texts.items()
        if text
    }


def _shown(path: Path) -> str:
    """A file's text, masked. Nothing where there is no file, or a large one."""
    from conformance.documents import bytes_read
    from conformance.masking.door import own_mask

    data = bytes_read(path, MAX_PROGRAM) if path.is_file() else b""
    return own_mask().text(data.decode("utf-8", "replace")) if len(data) <= MAX_PROGRAM else ""
