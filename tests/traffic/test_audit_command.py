"""``conformance audit`` as its users meet it."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from talk import records, write_lines

from conformance.cli import main
from conformance.rules import catalogue
from conformance.rules.check import NEED_INTENT
from conformance.rules.judge import judge
from conformance.schemas import schema
from conformance.traffic.audit import Audit
from conformance.transcript import Exchange


@pytest.fixture
def good(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "good.jsonl", records("openai-chat"))


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    lines = records("openai-chat")
    lines[1]["request"]["messages"][2]["tool_call_id"] = "call_nobody"
    return write_lines(tmp_path / "bad.jsonl", lines)


def test_nothing_wrong(good: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", str(good)]) == 0
    out, err = capsys.readouterr()
    assert "common.result.no-orphan" in out
    assert out.endswith("2 exchanges, 0 not judged; findings: none\n")
    assert err == ""


def test_a_must_is_broken(bad: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", str(bad)]) == 1
    out = capsys.readouterr().out
    assert f"{bad}:2 (openai-chat-1)  openai-chat request" in out
    assert "at /messages/2/tool_call_id" in out
    assert "found:    call_nobody" in out


def test_a_should_is_no_failure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = records("openai-responses")[0]
    del line["request"]["tools"][0]["strict"]
    assert main(["audit", str(write_lines(tmp_path / "a.jsonl", [line]))]) == 0
    assert "findings: 1 should" in capsys.readouterr().out


def test_json(bad: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", str(bad), "--format", "json"]) == 1
    document = json.loads(capsys.readouterr().out)
    jsonschema.Draft202012Validator(schema("audit")).validate(document)
    assert document["exchanges"] == 2
    assert document["rules"]["common.result.no-orphan"] == {"checked": 2, "failed": 1}
    assert {"source", "line", "exchange", "provider", "side", "rule", "level", "consequence", "at", "expected",
            "found", "evidence"} == document["findings"][0].keys()  # fmt: skip


def test_rules_can_be_chosen(bad: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", str(bad), "--rule", "chat.naming.*"]) == 0
    assert "common.result" not in capsys.readouterr().out
    assert main(["audit", str(bad), "--rule", "chat.nameing.*"]) == 2
    assert "no rule matches 'chat.nameing.*'" in capsys.readouterr().err


def test_wrong_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", str(tmp_path / "nowhere")]) == 2
    assert capsys.readouterr().err == f"conformance: {tmp_path / 'nowhere'}: no such file or folder\n"


def test_nothing_to_judge(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", str(tmp_path)]) == 4
    (tmp_path / "a.jsonl").write_text("{\n")
    assert main(["audit", str(tmp_path), "--verbose"]) == 4
    assert f"{tmp_path / 'a.jsonl'}:1  not JSON" in capsys.readouterr().out


def test_terminals_are_not_obeyed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = records("openai-chat")[0] | {"id": "\x1b[2Jgone"}
    line["request"]["tool_choice"] = "\x1b]0;owned\x07"
    assert main(["audit", str(write_lines(tmp_path / "a.jsonl", [line]))]) == 1
    assert "\x1b" not in capsys.readouterr().out


def test_findings_as_lines_are_those_of_the_document(bad: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", str(bad), "--format", "json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert main(["audit", str(bad), "--format", "jsonl"]) == 1
    *lines, last = map(json.loads, capsys.readouterr().out.splitlines())
    assert [{"kind": "finding", **finding} for finding in document["findings"]] == lines
    assert (last["kind"], last["exchanges"], last["judged"]) == ("summary", 2, 2)
    assert last["rules"] == document["rules"]


def test_lines_of_what_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("{\n")
    assert main(["audit", str(path), "--format", "jsonl"]) == 4
    first, last = map(json.loads, capsys.readouterr().out.splitlines())
    assert (first["kind"], first["line"], last["exchanges"]) == ("unreadable", 1, 0)


def test_rules_that_are_not_asked_would_find_nothing(good: Path) -> None:
    """Rules that need to know what was meant say so, and those that vary a request need a second one."""
    audit = Audit()
    exchanges: list[Exchange] = []
    audit.watch = lambda judged: exchanges.append(judged.exchange)
    list(audit.read(good))
    silent = [rule for rule in catalogue().values() if rule.id in NEED_INTENT or rule.varies is not None]
    assert len(exchanges) == 2
    assert len(silent) > 30
    for rule in silent:
        examined = [judge(rule, exchange) for exchange in exchanges if rule.applies_to(exchange.provider, "native")]
        assert not any(examined), rule.id
