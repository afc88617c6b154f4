"""Find the release of a library that broke a rule, or mended it, by halving over its releases.

    conformance bisect ollama --rule ollama.ids.optional --provider ollama
    conformance bisect openai --rule 'chat.parse.usage' --provider openai-chat --each minor --script broken.py

Without --from, releases are looked at that are 1, 2, 4, 8 … before the newest, until the same case comes to something
else. That case is then played in the release in the middle, and so on. At the end some more are played, because a rule
may have gone to and fro. --script writes the program that shows the failure (docs/history.md).

Exits with 0 when a turning point was found, 4 when there is none, and 5 when the shim fits none of the releases.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.cli import UsageError
from conformance.cli.history_command import exit_code, play_arguments
from conformance.cli.outputs import check_writable
from conformance.cli.releasing import (
    chosen_releases,
    library_named,
    release_arguments,
    remark,
    settings_of,
    walk_of,
)

if TYPE_CHECKING:
    from conformance.history.bisecting import Bisection
    from conformance.history.searching import Search

CHECKS = 3


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("library", metavar="LIBRARY", help="its name, as 'conformance list adapters' has it")
    parser.add_argument("--rule", required=True, metavar="R", help="the rule's id")
    parser.add_argument("--provider", required=True, metavar="P", help="the provider on which it turned")
    parser.add_argument(
        "--scenario", action="append", default=[], metavar="S",
        help="default: the scenarios that are for the rule; all, where those say nothing",
    )  # fmt: skip
    parser.add_argument("--delivery", action="append", default=[], metavar="GLOB", help="such as blocking")
    parser.add_argument("--profile", choices=("native", "portable"), default="native", help="default: %(default)s")
    release_arguments(parser, last=None)
    play_arguments(parser)
    parser.add_argument(
        "--checks", type=int, default=CHECKS, metavar="N",
        help="how many more releases are asked whether it went to and fro (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument("--format", choices=("table", "json"), default="table", help="default: %(default)s")
    parser.add_argument("--script", type=Path, metavar="FILE", help="write the program here, instead of printing it")


def main(options: argparse.Namespace) -> int:
    """Search, and show. Returns the exit code."""
    from conformance.history.searching import Search
    from conformance.report.history import bisect_lines
    from conformance.report.printing import say_document, say_to
    from conformance.report.summary import plain
    from conformance.result import as_text
    from conformance.runner.conclusion import NOTHING_RAN

    check_writable(options.script, "--script")
    rule = _rule(options.rule)
    options.scenarios = None
    settings = settings_of(
        options, rules=[rule], providers=[options.provider], scenarios=options.scenario or _scenarios(rule)
    )
    search = Search(
        walk_of(options), chosen_releases(options), rule, options.provider, settings, widens=not options.scenario
    )
    found = search.bisected(checks=max(options.checks, 0), ends=options.first is not None)
    document = search.document(found, library_named(options.library), options.library)
    if options.format == "json":
        say_document(as_text(document))
    else:
        say_to(sys.stdout, "".join(f"{plain(line)}\n" for line in bisect_lines(document)))
    if not found.found:
        return exit_code(list(search.records.values())) or NOTHING_RAN
    _show_program(search, found, options)
    return 0


def _rule(name: str) -> str:
    """The id of a rule, by any of its names. Raises `UsageError`."""
    from conformance.hints import nearest
    from conformance.rules import catalogue, find_rule

    found = find_rule(name)
    if found is None:
        raise UsageError(f"unknown rule {name!r}{nearest(name, catalogue())}")
    return found.id


def _scenarios(rule: str) -> list[str]:
    """The written scenarios that are for a rule; where there is none, any may show it."""
    from conformance.engine.cases import DERIVED, Selection, outlines_of

    outlines = outlines_of(Selection(generated="none")).values()
    return [one.id for one in outlines if rule in one.rules and one.family not in DERIVED]


def _show_program(search: Search, found: Bisection, options: argparse.Namespace) -> None:
    """The program that shows the failure: on standard output, or in a file."""
    from conformance.files.whole import write_text
    from conformance.report.printing import say_to
    from conformance.report.script import NoScriptError

    if options.format == "json" and options.script is None:
        return
    try:
        text = search.program(found)
    except NoScriptError as problem:
        remark(f"no program: {problem}")
        return
    if options.script is None:
        say_to(sys.stdout, f"\n{text}")
        return
    try:
        write_text(options.script, text)
    except OSError as problem:
        raise UsageError(f"--script {options.script}: {problem.strerror}") from None
    remark(f"{options.script}: the program that shows it")
