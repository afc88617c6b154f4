"""A rule's page: what others wrote stands in it as text, and each fact is there once."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from sample_results import sample

from conformance.report.explain import explanation_of
from conformance.report.rule_address import SITE, rule_address
from conformance.report.rule_page import rule_page, rules_index
from conformance.report.writers import formatted_result
from conformance.rules import catalogue, find_rule

HEADINGS = ["Who says so", "Evidence", "An example", "See it"]


def page(name: str) -> str:
    rule = find_rule(name)
    assert rule is not None
    return rule_page(explanation_of(rule))


def test_a_page_says_what_is_known_of_a_rule() -> None:
    text = page("common.result.no-orphan")
    assert text.startswith("# common.result.no-orphan\n\n**No result is sent whose call is absent")
    assert re.findall("(?m)^## (.+)$", text) == HEADINGS
    assert "| level | must |" in text
    assert "[simonw/llm\\#937](https://github.com/simonw/llm/issues/937)" in text
    assert re.search(r"(?m)^```diff\n(?:[ @].*\n)+[-+]", text), "what conforms, and what is otherwise"
    assert "conformance explain common.result.no-orphan\n" in text


def test_every_rule_has_a_page_and_stands_in_the_list_once() -> None:
    index = rules_index(list(catalogue().values()))
    assert Counter(re.findall(r"(?m)^\| \[([^]]+)\]", index)) == Counter(list(catalogue()))
    assert all(f"\n{name}\n" in index for name in catalogue()), "each is in the table of contents"
    for name in catalogue():
        text = page(name)
        rows = [line for line in text.split("\n") if line.startswith("|")]
        assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} <= {3, 5}, f"{name}: words broke a table"


@pytest.mark.parametrize(
    ("site", "address"),
    [
        ("", ""),
        ("https://docs.example/tools/", "https://docs.example/tools/rules/common.result.no-orphan.html"),
        ("javascript:alert(1)//", ""),
    ],
)
def test_failures_name_the_page_where_a_site_is(site: str, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SITE, site)
    assert rule_address("common.result.no-orphan") == address
    base = address.removesuffix("common.result.no-orphan.html")
    for kind in ("table", "markdown", "junit"):
        text = formatted_result(sample(), kind, verbose=False)
        assert ("/rules/" in text) is bool(address), kind
        assert not address or base in text, kind
