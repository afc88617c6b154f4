"""A failing cell as the text of an issue."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from one_failure import RULE, result
from sample_results import PAYLOAD
from test_writers import matches

from conformance.cli import main
from conformance.report.issue import issue

CELL = f"ollama/ollama/{RULE}"
CASE = "parallel_calls.two_reads/blocking"
FINDING = {
    "id": "calls-lose-ids", "title": "`id` is lost", "judgement": "fault", "consequence": "lost", "why": "See `f`.",
    "issues": [{"url": "https://example.org/issues/7", "state": "open", "date": "2026-01-02"}],
}  # fmt: skip


def told(document: dict[str, Any], program: str | None = None) -> str:
    return issue(document, document["cells"][0], program)


def test_an_issue_as_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The program that lies beside the result is in it."""
    document = result("ollama", "ollama", CASE, 2)
    document["cells"][0]["judged"] = [FINDING]
    (tmp_path / "result.json").write_text(json.dumps(document), "utf-8")
    (tmp_path / "programs" / "ollama").mkdir(parents=True)
    (tmp_path / "programs" / "ollama" / "calls-lose-ids.py").write_text("print('once')\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["explain", CELL, "--issue"]) == 0
    matches("issue.md", capsys.readouterr().out)


def test_without_a_program_the_command_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "result.json"
    path.write_text(json.dumps(result("mine", "ollama", CASE)), "utf-8")
    assert main(["explain", f"mine/ollama/{RULE}", "--issue", "--result", str(path)]) == 0
    text = capsys.readouterr().out
    assert "There is no program of it here: no program is known for mine." in text
    assert "```sh\nconformance run somewhere\n```" in text


@pytest.mark.parametrize(("word", "said"), [("oddity", "Only hosts that deviate"), ("limit", "Somebody read all")])
def test_what_is_no_fault_says_so_before_it_is_filed(word: str, said: str) -> None:
    document = result("ollama", "ollama", CASE)
    document["cells"][0]["word"] = word
    assert f"> **Before you file this:** {said}" in told(document)


@pytest.mark.parametrize(("consequence", "said"), [("rejected", "refuses such"), ("presumed", "no record says either")])
def test_a_refusal_that_nobody_recorded_is_not_claimed(consequence: str, said: str) -> None:
    document = result("ollama", "ollama", CASE)
    document["cells"][0]["consequence"] = consequence
    assert said in told(document)


def test_what_others_wrote_stays_inside_its_block() -> None:
    document = result("ollama", "ollama", CASE)
    document["evidence"]["e1"]["response"]["body"] = "````\n# not a heading"
    document["rules"][0]["statement"] = PAYLOAD
    text = told(document, "```\nx = 1")
    assert "`````\n````\n# not a heading\n`````" in text
    assert "````python\n```\nx = 1\n````" in text
    assert "\n<" not in text and " <img" not in text


def test_of_what_passes_there_is_no_issue(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = result("ollama", "ollama", CASE)
    document["cells"][0] |= {"outcome": "pass", "failures": []}
    (tmp_path / "result.json").write_text(json.dumps(document), "utf-8")
    assert main(["explain", CELL, "--issue", "--result", str(tmp_path / "result.json")]) == 2
    assert f"nothing failed in {CELL}" in capsys.readouterr().err
