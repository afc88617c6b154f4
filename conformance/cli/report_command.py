"""Make a page, Markdown and badges of results that 'conformance run --out result.json' wrote.

Several results become one matrix. The page is one file with its data inside: it needs no network and no server.

With --judgements each failure is shown with what somebody found who read it, findings.md lists them by adapter, and a
failure that nobody judged makes this exit 1.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path

from conformance.cli import UsageError


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("result", nargs="+", type=Path, metavar="RESULT.json")
    parser.add_argument(
        "--judgements", type=Path, metavar="PATH",
        help="files NAME.yaml that say of each failure of an adapter what it means (see docs/judgements.md)",
    )  # fmt: skip
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="the folder to write to")


def main(options: argparse.Namespace) -> int:
    """Write the files. Returns the exit code."""
    from conformance.files.whole import write_text
    from conformance.judgements import JudgementError, complaints, read_judgements, with_judgements
    from conformance.masking.door import own_mask
    from conformance.report.badge import badges
    from conformance.report.coverage import coverage
    from conformance.report.findings import findings
    from conformance.report.html import page
    from conformance.report.markdown import markdown
    from conformance.report.merge import MergeError, merged_results
    from conformance.report.printing import say, say_to
    from conformance.result import ResultError, as_text, masked_result, read_result

    try:
        every = read_judgements(options.judgements) if options.judgements else []
        results = merged_results([read_result(path) for path in options.result])
        document = masked_result(with_judgements(results, every), own_mask())
    except (ResultError, MergeError, JudgementError) as problem:
        raise UsageError(str(problem)) from None
    files = {
        "index.html": page(document),
        "matrix.md": markdown(document),
        "coverage.md": coverage(document),
        "result.json": as_text(document),
    }
    if every:
        files["findings.md"] = own_mask().text(findings(document, every, _programs(options.out)))
    images = {f"badges/{name}": image for name, image in badges(document)}
    _refuse_keys({options.out / name: text for name, text in (files | images).items()})
    for name, text in (files | images).items():
        try:
            write_text(options.out / name, text)
        except OSError as problem:
            raise UsageError(f"--out {options.out}: {problem.strerror}") from None
        if name in files:
            say(str(options.out / name))
    say(f"{options.out / 'badges'}: {len(images)} images")
    problems = [line for judged in every for line in complaints(judged, document)]
    for line in problems:
        say_to(sys.stderr, f"conformance: {line}\n")
    return 1 if problems else 0


def _refuse_keys(files: Mapping[Path, str]) -> None:
    """Write none of them where one holds a key that cannot be removed."""
    from conformance.masking.door import SecretRemainsError, own_mask

    for path, text in files.items():
        try:
            own_mask().checked(text)
        except SecretRemainsError as problem:
            raise UsageError(f"--out {path}: {problem}") from None


def _programs(out: Path) -> dict[tuple[str, str], str]:
    """Programs that show findings, where the folder has some: ``programs/ADAPTER/FINDING.*``."""
    found = sorted((out / "programs").glob("*/*.*"))
    return {(path.parent.name, path.stem): path.relative_to(out).as_posix() for path in found}
