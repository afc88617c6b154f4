"""What rules and findings say of themselves, and what depends on it."""

from __future__ import annotations

from typing import get_args

import pytest

from conformance.http import Request
from conformance.model import Conversation, UserTurn
from conformance.rules import Stage, catalogue
from conformance.rules.judge import judge
from conformance.server.judging import judged, refusal
from conformance.transcript import Exchange
from conformance.wires import PROVIDERS, wire

RULES = list(catalogue().values())
CONVERSATION = Conversation((UserTurn("hello"),))


def test_stages_are_a_closed_set() -> None:
    assert [rule.id for rule in RULES if rule.stage not in get_args(Stage)] == []


def test_a_rule_compares_when_its_example_says_what_was_meant() -> None:
    """Of such a rule the provider rejects only what is wrong whatever was meant."""
    may_compare = {rule.id for rule in RULES if rule.side == "build" and rule.consequence == "rejected"}
    meant = {rule.id for rule in RULES if "ir" in rule.example}
    assert {rule.id for rule in RULES if rule.compares} == may_compare & meant


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_key_that_is_missing_is_told_first(provider: str) -> None:
    """Ollama needs no key. The others answer 401 before they look at anything else."""
    sent = wire(provider).build(CONVERSATION, stream=False)
    keys = {"authorization", "x-api-key", "x-goog-api-key", "api-key"}
    headers = {name: value for name, value in sent.headers.items() if name.lower() not in keys}
    exchange = Exchange(provider, "native", request=Request(sent.method, sent.url, headers, b'{"tools": 7}'))
    found = judged(exchange, CONVERSATION)
    about = [item for item in found.rejected if item.about_key]
    if provider in ("ollama", "unified"):
        assert not about
        return
    assert found.rejected[0].about_key
    assert refusal(provider, found.rejected).status == 401
    exchange = Exchange(provider, "native", request=sent, intent=CONVERSATION)
    own = [rule for rule in RULES if rule.applies_to(provider, "native")]
    assert not [item for rule in own for item in judge(rule, exchange) if item is not None and item.about_key]
