"""What a rule says, where that is written, what breaks it, and what shows that it bites."""

from __future__ import annotations

import argparse
import json
import shutil
import sys

from conformance.cli import UsageError
from conformance.cli.selecting import nearest

NARROWEST, WIDEST = 40, 200
"""Between these the width of the terminal decides (``COLUMNS`` in a pipe)."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("rule", metavar="RULE", help="a rule's id, such as common.result.no-orphan")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: %(default)s")


def main(options: argparse.Namespace) -> int:
    """Explain. Returns the exit code."""
    from conformance.mutants.examples import patched
    from conformance.mutants.kills import Kills, known_kills
    from conformance.report.explain import Explained, as_data, as_text
    from conformance.report.printing import say_to
    from conformance.rules import catalogue, find_rule
    from conformance.rules.examples import exchange_of
    from conformance.rules.judge import judge
    from conformance.scenarios import load_scenarios

    rule = find_rule(options.rule)
    if rule is None:
        raise UsageError(f"unknown rule {options.rule!r}{nearest(options.rule, catalogue())}")
    violation = patched(rule.example, rule.violation)
    finding = next((item for item in judge(rule, exchange_of(rule, violation)) if item is not None), None)
    made_for = [scenario.id for scenario in load_scenarios().values() if rule.id in scenario.rules]
    one = Explained(rule, violation, finding, made_for, known_kills().get(rule.id, Kills()))
    if options.format == "json":
        text = json.dumps(as_data(one), ensure_ascii=False, indent=1, default=str) + "\n"
    else:
        text = as_text(one, max(NARROWEST, min(shutil.get_terminal_size().columns, WIDEST)))
    say_to(sys.stdout, text)
    return 0
