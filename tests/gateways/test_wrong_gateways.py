"""The rules are shown to bite: a right gateway has no finding, and each wrong one is told by a rule that fits."""

from __future__ import annotations

import pytest
from every import every
from through import rules_told, through
from wrong_gateways import LATER, WRONG, WrongGateway

from conformance.gateways.reference import ReferenceGateway

PAIRS = (("openai-chat", "gemini"), ("anthropic", "openai-chat"), ("openai-responses", "anthropic"))


def test_a_right_gateway_has_no_finding() -> None:
    with through(ReferenceGateway) as it:
        for scenario in ("parallel_calls.two_reads", "read_file.missing_file", "errors.rate_limit"):
            found = it.cases("anthropic", "gemini", scenario)
            assert len(found) == 2
            assert rules_told(found) == set()


@pytest.mark.slow
def test_a_right_gateway_has_no_finding_in_any_pair_of_formats() -> None:
    with through(ReferenceGateway) as it:
        found = {pair: it.cases(*pair) for pair in PAIRS}
    assert {pair: rules_told(cases) for pair, cases in found.items()} == {pair: set() for pair in PAIRS}
    assert all(len(cases) > 50 for cases in found.values())


@pytest.mark.slow
def test_each_wrong_gateway_is_told_by_a_rule_that_fits() -> None:
    def is_told(wrong: WrongGateway) -> None:
        with through(wrong.make) as it:
            told = rules_told(it.cases(wrong.inbound, wrong.outbound, wrong.scenario))
        assert told & set(wrong.told_by), sorted(told)

    every({name: (wrong,) for name, wrong in {**WRONG, **LATER}.items()}, is_told)
    assert len(LATER) * 3 >= len(WRONG) + len(LATER)
