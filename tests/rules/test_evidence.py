"""Where rules come from: sources that anybody can look up, and what each provider was seen or read to do."""

from __future__ import annotations

import datetime
import json
import re
from pathlib import Path
from typing import get_args

import pytest
from every import of_every

from conformance.cli import main
from conformance.rules import EvidenceClass, Rule, catalogue
from conformance.rules.losses import Loss, losses

RULES = list(catalogue().values())
BY_NAME = {rule.id: (rule,) for rule in RULES}
ROOT = Path(__file__).parents[2]
PUBLIC = re.compile(
    r"https?://\S+\.\S+"
    r"|\b[\w.-]+/[\w.-]+#\d+"  # a thread
    r"|docs/\w+\.md"  # our own specifications
    r"|^policy of this suite.{5}"
    r"|\brecorded (traffic|streams)\b"  # cassettes of public repositories (docs/rules.md)
    r"|\b(anthropic|openai|google\.genai|google-genai|ollama|mistralai|mcp)\b[\w .-]*\.[\w.]+"  # an SDK's type
    r"|\b(openai|anthropics|googleapis|google|ollama|mistralai|xai-org|modelcontextprotocol|Azure)/[\w.-]+ \S+"
    r"|\b\w[\w.-]*/[\w.-]+ [\w.-]+/\S+"  # a file of a repository
    r"|\bRFC \d+|\bECMA-\d+|\brule [a-z]+\.[a-z]+\.[a-z0-9-]+"
)
PRIVATE = re.compile(r"\bseeds? (0|\d)|corpus|CONTRADICTION|traffic-2|shared/(reference|corpus)", re.IGNORECASE)


@of_every(BY_NAME)
def test_sources_are_public(rule: Rule) -> None:
    assert rule.source
    for source in rule.source:
        assert PUBLIC.search(source), source
    for text in (*rule.source, rule.notes, rule.statement, *rule.not_observed.values()):
        assert not PRIVATE.search(text), text


@pytest.mark.parametrize("loss", losses().values(), ids=lambda loss: loss.id)
def test_sources_of_losses_are_public(loss: Loss) -> None:
    assert loss.source
    for source in loss.source:
        assert PUBLIC.search(source), source
        assert not PRIVATE.search(source), source


@pytest.mark.parametrize(
    "source", ['seed 003 "Do/Don\'t Checklists"', "the adapter contract", "policy of this suite", "OpenAI says so"]
)
def test_what_nobody_can_look_up_is_no_source(source: str) -> None:
    assert not PUBLIC.search(source)


def test_sections_of_our_own_specification_exist() -> None:
    text = (ROOT / "docs/unified.md").read_text("utf-8")
    cited = {
        number
        for rule in RULES
        for source in (*rule.source, *(one.source for one in rule.evidence.values()))
        for number in re.findall(r"docs/unified\.md §(\d+)", source)
    }
    assert cited
    assert cited <= set(re.findall(r"(?m)^## (\d+)\. ", text))


@of_every(BY_NAME)
def test_evidence_is_whole(rule: Rule) -> None:
    assert rule.evidence.keys() <= set(rule.providers)
    for one in rule.evidence.values():
        assert one.class_ in get_args(EvidenceClass)
        assert PUBLIC.search(one.source), one.source
        assert not PRIVATE.search(one.source + one.quote)
        assert (one.class_ == "policy") == one.source.startswith("policy of this suite")
        assert len(one.quote) <= 200
        assert datetime.date.fromisoformat(one.date) >= datetime.date(2022, 11, 1)


def test_every_rule_has_evidence_somewhere() -> None:
    assert [rule.id for rule in RULES if not rule.evidence] == []


def test_evidence_is_listed_and_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "rules", "--format", "json"]) == 0
    rows = {row["id"]: row for row in json.loads(capsys.readouterr().out)}
    assert main(["explain", "chat.result.tool-role-with-id", "--format", "json"]) == 0
    explained = json.loads(capsys.readouterr().out)
    assert explained["evidence"] == rows["chat.result.tool-role-with-id"]["evidence"]
    assert explained["evidence"]["azure"].keys() == {"class", "source", "date", "quote"}
    assert main(["explain", "chat.result.tool-role-with-id"]) == 0
    told = capsys.readouterr().out
    assert "  evidence\n" in told
    assert "azure: refused (2025-04-01), HemulGM/DelphiOpenAI#54" in told
