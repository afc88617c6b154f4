"""One sentence for an adapter and a provider: conforms, refused, loses, only trouble elsewhere."""

from __future__ import annotations

from typing import Any

import pytest
from sample_results import sample

from conformance.report import causes
from conformance.report.causes import first_to_mend
from conformance.report.sentences import sentence, sentences
from conformance.report.summary import titled

PASS = {"outcome": "pass"}
ODD = {"outcome": "warn", "word": "oddity"}


def told(*cells: dict[str, Any]) -> tuple[str, str]:
    """What is said of an adapter with these cells."""
    rules = sample()["rules"][: len(cells)]
    own = [
        {"adapter": "alpha", "provider": "anthropic", "rule": rule["id"], "failures": [], "cases": {}, **cell}
        for rule, cell in zip(rules, cells, strict=True)
    ]
    return sentence({**sample("alpha"), "cells": own}, "alpha", "anthropic")


@pytest.mark.parametrize(
    ("cells", "standing", "words"),
    [
        ([PASS, PASS], "conforms", "conforms"),
        ([PASS, ODD], "oddity", "conforms; only trouble on hosts that deviate from it"),
        ([PASS, {"outcome": "pass", "lightened_cases": ["a/blocking"]}], "oddity", "conforms; only trouble"),
        ([ODD, {"outcome": "warn"}], "warns", "conforms; could be better in 1 rule"),
        ([{"outcome": "fail", "consequence": "rejected"}, ODD], "fails", "refused by the provider for how tools"),
        ([{"outcome": "fail", "consequence": "presumed"}], "fails", "probably refused for how tools are declared"),
        ([PASS, {"outcome": "error"}], "fails", "loses what answers say"),
        ([{"outcome": "fail", "flag": "expected_fail"}], "conforms", "conforms, but for what the baseline expects"),
        ([{"outcome": "not_applicable"}], "nothing", "nothing was judged"),
    ],
)
def test_a_sentence_says_what_becomes_of_users(cells: list[dict[str, Any]], standing: str, words: str) -> None:
    found = told(*cells)
    assert found[0] == standing
    assert found[1].startswith(words)


def test_providers_of_which_the_same_is_said_share_a_sentence() -> None:
    assert [one.words for one in sentences(sample("beta"))] == ["beta 1.2.0 on openai-chat, anthropic: conforms"]


def test_what_to_mend_first_is_told_where_something_fails() -> None:
    assert first_to_mend(sample("beta")) is None
    assert str(first_to_mend(sample())).startswith("fix first: no answer in 30 s")


@pytest.mark.parametrize(
    ("name", "version", "shown"),
    [
        ("naive", "0.1", "naive 0.1"), ("naive 0.1", "0.1", "naive 0.1"),
        ("OpenAI/JS 6.49.0", "6.49.0", "OpenAI/JS 6.49.0"),
        ("python-httpx/0.28.1", "0.28.1", "python-httpx/0.28.1"), ("curl", "", "curl"),
    ],
)  # fmt: skip
def test_a_version_is_told_once(name: str, version: str, shown: str) -> None:
    assert titled({"name": name, "version": version}) == shown


@pytest.mark.parametrize(
    ("rule", "provider", "words"),
    [
        ("common.result.no-orphan", "gemini", "Please ensure that function response turn"),
        ("common.result.no-orphan", "anthropic", "unexpected `tool_use_id` found"),
        ("common.result.no-orphan", "openai-chat", "https://github.com/simonw/llm/issues/937, "),
        ("common.gone.rule", "gemini", "what it said"),
    ],
)
def test_a_cause_is_told_by_what_its_rule_rests_on_at_the_provider(rule: str, provider: str, words: str) -> None:
    document = {"rules": [{"id": rule, "source": ["what it said"]}]}
    cause = {"rules": [rule], "such_as": {"provider": provider, "at": "/messages/2"}}
    assert words in str(causes.source(document, cause))
