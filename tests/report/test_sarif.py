"""Findings as SARIF 2.1.0."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from conformance.cli import main
from conformance.report.sarif import MAX_RESULTS, audit_sarif, secrets_sarif

MESSAGES = [{"role": "user", "content": "Hi"}, {"role": "tool", "tool_call_id": "call_nobody", "content": "x"}]
ORPHAN = {
    "method": "POST", "host": "api.openai.com", "path": "/v1/chat/completions",
    "request": {"model": "gpt-4o", "messages": MESSAGES},
}  # fmt: skip

FINDING = {
    "source": "a b/ü.jsonl", "line": 3, "exchange": None, "provider": "openai-chat", "side": "request",
    "rule": "common.result.no-orphan", "level": "must", "consequence": "rejected", "at": "/messages/1", "expected": "x",
    "found": {"long": "y" * 10_000},
}  # fmt: skip


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cassettes").mkdir()
    (tmp_path / "cassettes" / "a.jsonl").write_text(json.dumps(ORPHAN) + "\n{\n", "utf-8")
    assert main(["audit", str(tmp_path / "cassettes"), "--format", "sarif", "--out", "out.sarif"]) == 1
    printed = capsys.readouterr().out
    assert (tmp_path / "out.sarif").read_text("utf-8") == printed
    found: dict[str, Any] = json.loads(printed)
    return found


def test_findings_stand_at_their_lines(log: dict[str, Any]) -> None:
    [run] = log["runs"]
    results = {result["ruleId"]: result for result in run["results"]}
    orphan = results["common.result.no-orphan"]
    assert orphan["level"] == "error"
    assert orphan["locations"] == [{
        "physicalLocation": {"artifactLocation": {"uri": "cassettes/a.jsonl"}, "region": {"startLine": 1}},
        "logicalLocations": [{"fullyQualifiedName": "/messages/1/tool_call_id"}],
    }]  # fmt: skip
    rules = run["tool"]["driver"]["rules"]
    assert [rules[result["ruleIndex"]]["id"] for result in run["results"]] == [one["ruleId"] for one in run["results"]]
    assert all(rule["shortDescription"]["text"] for rule in rules)


def test_what_was_not_judged_is_told(log: dict[str, Any]) -> None:
    [invocation] = log["runs"][0]["invocations"]
    assert invocation["executionSuccessful"] is True
    [told] = invocation["toolExecutionNotifications"]
    assert told["message"]["text"].startswith("not judged: not JSON")
    assert told["locations"][0]["physicalLocation"]["region"] == {"startLine": 2}


def official_types() -> Any:
    return pytest.importorskip("pydantic_sarif.model", reason="needs pydantic-sarif, made of the official schema")


def test_it_follows_the_official_schema(log: dict[str, Any]) -> None:
    official_types().StaticAnalysisResultsFormatSarifVersion210JsonSchema.model_validate(log)


def test_names_and_values_of_others_are_bounded() -> None:
    [result] = audit_sarif([FINDING], [])["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a%20b/%C3%BC.jsonl"
    assert len(result["message"]["text"]) < 2_000


def test_more_findings_than_a_host_takes() -> None:
    [run] = audit_sarif([FINDING] * (MAX_RESULTS + 5), [])["runs"]
    assert len(run["results"]) == MAX_RESULTS
    assert run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"] == (
        "5 findings more are not in this file"
    )


def test_a_rule_that_broke_is_no_success() -> None:
    broken = {"rule": "common.result.no-orphan", "source": "a", "line": 1, "why": "ValueError"}
    [invocation] = audit_sarif([], [], [broken])["runs"][0]["invocations"]
    assert invocation["executionSuccessful"] is False


def test_secrets_are_named_and_not_shown() -> None:
    secret = {"source": "a", "line": 2, "side": "request", "place": "authorization", "looks_like": "an OpenAI key"}
    [run] = secrets_sarif({"secrets": [secret], "unreadable": []})["runs"]
    assert run["results"][0]["message"] == {"text": "an OpenAI key, in the request: authorization"}
    assert secrets_sarif({"secrets": [], "unreadable": []})["runs"][0]["results"] == []


@pytest.mark.parametrize(("words", "code"), [([], 4), (["--allow-nothing"], 0)])
@pytest.mark.parametrize("command", [["audit"], ["audit", "--secrets"]])
def test_hooks_may_find_nothing(tmp_path: Path, command: list[str], words: list[str], code: int) -> None:
    assert main([*command, str(tmp_path), *words]) == code
