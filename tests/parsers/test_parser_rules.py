"""Each rule of parsers, both ways: the reference parser keeps it, a parser with one thing wrong breaks it."""

from __future__ import annotations

import pytest

from conformance.parsers.reference import ReferenceParser
from conformance.parsers.rules import PARSER_RULES
from conformance.parsers.verdict import ParserVerdict
from tests.every import of_every
from tests.parsers.playing import judged_here, rules_broken
from tests.parsers.wrong import FIRST, LATER

WRONG = {**FIRST, **LATER}
SHORT = ("shell.success", "no_arguments.empty", "multi_turn.no_tools", "reasoning.no_call", "ends_early", "undeclared")
GRAMMARS = (
    "deepseek-v3", "harmony", "hermes", "kimi-k2", "llama3-json", "mistral-args", "mistral-list", "qwen3-coder",
)  # fmt: skip


@pytest.mark.slow
@of_every({make.__name__: (make, *row) for make, row in WRONG.items()})
def test_each_wrong_parser_is_told_by_the_rule_that_fits(make: type, rule: str, grammar: str, case: str) -> None:
    verdict = judged_here(make, grammar, [case])
    assert rule in rules_broken(verdict)
    right = judged_here(ReferenceParser, grammar, [case])
    assert right.outcome == "pass", right.findings
    assert rule in right.rules


def test_every_rule_has_a_parser_that_breaks_it() -> None:
    assert {rule for rule, _, _ in WRONG.values()} == set(PARSER_RULES)


@pytest.mark.slow
@of_every({name: (name,) for name in GRAMMARS})
def test_the_reference_parser_keeps_all_rules(grammar: str) -> None:
    verdict: ParserVerdict = judged_here(ReferenceParser, grammar, SHORT)
    assert (verdict.outcome, verdict.findings) == ("pass", [])
