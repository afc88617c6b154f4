"""Whole runs, as a user begins them: the gateway in a process and a network of its own."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from conformance.cli import main
from conformance.schemas import problems

WRONG = """
title: A gateway that loses usage
command: [PYTHON, "${home}/wrong.py"]
files:
  wrong.py: |
    import sys
    sys.path.insert(0, "HERE")
    from wrong_gateways import LosesUsage
    LosesUsage("${upstream}").serve(${port}).serve_forever()
ready: /
inbound: {anthropic: {url: "${gateway}"}}
outbound: {gemini: {model: gemini.test-model}}
"""


@pytest.mark.slow
def test_our_gateway_conforms(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--inbound", "anthropic", "--outbound", "gemini", "--scenario", "shell.*", "--format", "json"]
    assert main(["run", "gateway:reference", *words]) == 0
    document = json.loads(capsys.readouterr().out)
    assert list(problems("gateway_verdicts", document)) == []
    [verdict] = document["verdicts"]
    assert verdict["outcome"] == "pass"
    [cell] = verdict["cells"]
    assert cell["cases"]["passed"] == cell["cases"]["of"] > 4
    assert set(cell["reached"]) == {"gemini"}


@pytest.mark.slow
def test_a_wrong_one_does_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "wrong.yaml"
    file.write_text(WRONG.replace("PYTHON", sys.executable).replace("HERE", str(Path(__file__).parent)))
    assert main(["run", f"gateway:{file}", "--scenario", "multi_turn.hello"]) == 1
    said = capsys.readouterr().out
    assert "gateway.answer.usage-kept" in said
    assert "in \\ out" in said
