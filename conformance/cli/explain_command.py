"""What a rule says, where that is written, what breaks it, and what shows that it bites.

Or, of a cell of a result, what was found in it: ADAPTER/PROVIDER/RULE. Or, of a scenario, what goes over the wire: the
provider's own JSON of tools, requests, answers and results. Or a page of the documentation: docs/running.md.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from pathlib import Path

from conformance.cli import UsageError
from conformance.documents import Document
from conformance.hints import nearest

NARROWEST, WIDEST = 40, 200
"""Between these the width of the terminal decides (``COLUMNS`` in a pipe)."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument(
        "what",
        metavar="RULE|CELL|SCENARIO",
        help="a rule's id, such as common.result.no-orphan; a cell of a result, such as "
        "litellm/anthropic/common.result.no-orphan; a scenario's id, such as parallel_calls.two_reads",
    )
    parser.add_argument("--provider", metavar="P", help="a scenario's wire (default: the first that plays it)")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: %(default)s")
    parser.add_argument(
        "--result",
        type=Path,
        metavar="FILE",
        help="where the cell is (default: ./result.json, else the newest in reports/ that has the adapter)",
    )
    parser.add_argument(
        "--script", action="store_true", help="print a program that shows a cell's failure and needs only the library"
    )
    parser.add_argument(
        "--issue", action="store_true",
        help="print an issue about a cell for the library's tracker, with its bytes, sources and program",
    )  # fmt: skip


def main(options: argparse.Namespace) -> int:
    """Explain. Returns the exit code."""
    if options.what.startswith("docs/") and options.what.endswith(".md"):
        return _page(options.what)
    if "/" in options.what:
        return _cell(options)
    if options.script or options.issue or options.result is not None:
        raise UsageError(f"--script, --issue and --result are for cells, ADAPTER/PROVIDER/RULE, not {options.what!r}")
    from conformance.rules import find_rule

    if find_rule(options.what) is None:
        return _scenario(options)
    if options.provider is not None:
        raise UsageError(f"--provider is for scenarios, not for the rule {options.what!r}")
    return _rule(options)


def _page(name: str) -> int:
    """Print a page of the documentation, which comes with the package."""
    from conformance.files.shipped import docs_root
    from conformance.report.printing import say_to

    root = docs_root()
    pages = {f"docs/{path.relative_to(root).as_posix()}": path for path in root.rglob("*.md")}
    if name not in pages:
        raise UsageError(f"there is no page {name}{nearest(name, sorted(pages))}")
    say_to(sys.stdout, pages[name].read_text("utf-8"))
    return 0


def _scenario(options: argparse.Namespace) -> int:
    from conformance.report.printing import say_document, say_to
    from conformance.report.scenario_on_wire import NotPlayedError, on_wire, on_wire_data, on_wire_text
    from conformance.rules import catalogue
    from conformance.runner.selection import checked_providers
    from conformance.scenarios import load_scenarios

    known = load_scenarios()
    if options.what not in known:
        hint = nearest(options.what, [*catalogue(), *known])
        raise UsageError(f"no rule and no scenario is called {options.what!r}{hint}")
    checked_providers([options.provider] if options.provider is not None else [])
    try:
        played = on_wire(known[options.what], options.provider)
    except NotPlayedError as problem:
        raise UsageError(str(problem)) from None
    if options.format == "json":
        say_document(json.dumps(on_wire_data(played), ensure_ascii=False, indent=1) + "\n")
    else:
        say_to(sys.stdout, on_wire_text(played))
    return 0


def _cell(options: argparse.Namespace) -> int:
    from conformance.report.explain_cell import NoCellError, cell_data, cell_text, find_cell, result_file
    from conformance.report.issue import NoIssueError
    from conformance.report.printing import say_document, say_to
    from conformance.report.script import NoScriptError, script
    from conformance.result import ResultError, open_result

    try:
        path = options.result or result_file(options.what)
        document = open_result(path)
        cell = find_cell(document, options.what, path)
        if options.issue:
            text = _issue(document, cell, path.parent)
        elif options.script:
            text = script(document, cell)
        elif options.format == "json":
            say_document(json.dumps(cell_data(document, cell), ensure_ascii=False, indent=1) + "\n")
            return 0
        else:
            text = cell_text(document, cell, _width())
    except (NoCellError, NoScriptError, NoIssueError, ResultError) as problem:
        raise UsageError(str(problem)) from None
    say_to(sys.stdout, text)
    return 0


def _issue(document: Document, cell: Document, folder: Path) -> str:
    """The issue, with a program: the one that lies beside the result, or one that can be made here."""
    from conformance.report.issue import issue, kept_program
    from conformance.report.script import NoScriptError, script

    if not cell["failures"] or (kept := kept_program(cell, folder)):
        return issue(document, cell, kept if cell["failures"] else None)
    try:
        return issue(document, cell, script(document, cell))
    except NoScriptError as problem:
        return issue(document, cell, None, str(problem).partition("; repeat it with: ")[0])


def _rule(options: argparse.Namespace) -> int:
    from conformance.report.explain import as_data, explanation_of, explanation_text
    from conformance.report.printing import say_to
    from conformance.rules import find_rule

    rule = find_rule(options.what)
    assert rule is not None
    one = explanation_of(rule)
    if options.format == "json":
        text = json.dumps(as_data(one), ensure_ascii=False, indent=1, default=str) + "\n"
    else:
        text = explanation_text(one, _width())
    say_to(sys.stdout, text)
    return 0


def _width() -> int:
    return max(NARROWEST, min(shutil.get_terminal_size().columns, WIDEST))
