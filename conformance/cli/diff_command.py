"""Compare two results of 'conformance run --out result.json': what is worse, what is better, which rules are new.

Exits with 1 when something is worse: a cell, or a case that failed in none of the cells before. Rules, adapters and
providers that only one result has are listed, and are no regression. Exits with 4 when nothing was compared: no cell
was examined in both.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from conformance.cli import UsageError


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("before", type=Path, metavar="BEFORE.json")
    parser.add_argument("after", type=Path, metavar="AFTER.json")
    parser.add_argument(
        "--format", choices=("table", "json", "markdown"), default="table", help="default: %(default)s"
    )


def main(options: argparse.Namespace) -> int:
    """Print the difference. Returns the exit code: 1 when something is worse, 4 when nothing could be compared."""
    import sys

    from conformance.report.diff import DiffError, diff_lines, diff_markdown, difference
    from conformance.report.merge import MergeError, merged_results
    from conformance.report.printing import say_document, say_to
    from conformance.report.summary import plain
    from conformance.result import ResultError, as_text, open_result
    from conformance.runner.conclusion import NOTHING_RAN

    try:
        before, after = (merged_results([open_result(path)]) for path in (options.before, options.after))
        found = difference(before, after)
    except (ResultError, MergeError, DiffError) as problem:
        raise UsageError(str(problem)) from None
    written = {
        "table": lambda: "".join(f"{plain(line)}\n" for line in diff_lines(found)),
        "json": lambda: as_text(found),
        "markdown": lambda: diff_markdown(found),
    }
    if options.format == "json":
        say_document(written["json"]())
    else:
        say_to(sys.stdout, written[options.format]())
    if found["regressions"]:
        return 1
    return 0 if found["compared"] else NOTHING_RAN
