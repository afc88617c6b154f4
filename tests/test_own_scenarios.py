"""Scenarios of one's own: ``conformance run --scenarios DIR``; and the way from a scenario back to its file."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.cli import main
from conformance.model import ImagePart, Usage
from conformance.scenario_files import scenario_document, write_scenario
from conformance.scenarios import (
    AnswerStep,
    ResultsStep,
    ScenarioError,
    ScriptResult,
    UserStep,
    load_scenarios,
)
from conformance.script import ScriptCall, ScriptTurn

ONE = """\
title: Two numbers are added
rules: [common.result.exactly-one-per-call]
tools: [add]
steps:
  - user: What is 1 + 2?
  - model: {calls: [{tool: add, arguments: {a: 1, b: 2}}]}
  - results: [{call: add, text: "3"}]
  - model: {text: "3."}
"""
FEW = ("--provider", "anthropic", "--delivery", "blocking", "--delivery", "stream:whole", "--jobs", "1")
SCENARIOS = load_scenarios()


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A folder with one scenario and a tool of its own."""
    (tmp_path / "tools.yaml").write_text("add: {description: Add two numbers}")
    (tmp_path / "sums").mkdir()
    (tmp_path / "sums" / "one.yaml").write_text(ONE)
    return tmp_path


def test_they_are_played_instead_of_ours(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--scenarios", str(own), "--dry-run", *FEW]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"reference anthropic sums.one/{delivery}" for delivery in ("blocking", "stream:whole")
    ]
    out = own / "result.json"
    assert main(["run", "--scenarios", str(own), *FEW, "--format", "json", "--out", str(out)]) == 0
    result = json.loads(out.read_text())
    cells = {cell["rule"]: cell["outcome"] for cell in result["cells"]}
    assert cells["common.result.exactly-one-per-call"] == "pass"


def test_a_glob_is_about_them(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--scenarios", str(own), "--scenario", "shell.*"]) == 2
    assert "no scenario matches 'shell.*'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("sums/two.yaml", "title: [", "sums/two.yaml: not YAML: "),
        ("sums/two.yaml", ONE.replace("add,", "multiply,"), "sums/two.yaml: unknown tool 'multiply'; known: add"),
        ("sums/two.yaml", ONE.replace("one-per-call", "one-per-cal"), "sums.two: unknown rule "),
        ("tools.yaml", "add: 5", "tools.yaml: at /add: "),
    ],
)
def test_a_broken_file_is_one_clear_line(
    own: Path, name: str, text: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (own / name).write_text(text)
    assert main(["run", "--scenarios", str(own)]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert words in error


def test_an_empty_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--scenarios", str(tmp_path / "nowhere")]) == 2
    assert "no scenario files (expected <family>/<name>.yaml)" in capsys.readouterr().err


# --- writing ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_what_is_written_is_what_was_meant(tmp_path: Path) -> None:
    for scenario in SCENARIOS.values():
        family, _, name = scenario.id.partition(".")
        write_scenario(scenario, tmp_path / family / f"{name}.yaml")
    read = load_scenarios(tmp_path)
    assert read.keys() == SCENARIOS.keys()
    assert [name for name, scenario in SCENARIOS.items() if read[name] != scenario] == []


@pytest.mark.parametrize(
    ("turn", "results", "words"),
    [
        (ScriptTurn(usage=Usage(1, 1)), (), "how many tokens"),
        (ScriptTurn(calls=(ScriptCall("t"),)), (ScriptResult("t", ()),), "at /steps/2/results/0/parts: []"),
        (ScriptTurn(calls=(ScriptCall("t"),)), (ScriptResult("t", (ImagePart("image/png", b""),)),), "images.yaml"),
        (ScriptTurn(calls=(ScriptCall("t", raw="{", arguments={}),)), (), "both raw and other arguments"),
        (ScriptTurn(calls=(ScriptCall("t"),) * 2), (), "different labels"),
        (ScriptTurn(calls=(ScriptCall("u"),)), (), "unknown tool 'u'"),
        (ScriptTurn("a", stop="incomplete"), (), 'at /steps/1/model/stop: "incomplete"'),
        (ScriptTurn(text="\ud800"), (), "invalid Unicode character"),
    ],
)
def test_what_a_file_cannot_say_is_not_written_silently(
    turn: ScriptTurn, results: tuple[ScriptResult, ...], words: str, tmp_path: Path
) -> None:
    like = SCENARIOS["multi_turn.hello"]
    tool = replace(SCENARIOS["shell.success"].tools[0], name="t")
    steps = (
        UserStep("a"),
        AnswerStep(turn, tuple(call.tool for call in turn.calls)),
        *([ResultsStep(results)] if results else []),
    )
    with pytest.raises(ScenarioError) as caught:
        write_scenario(replace(like, tools=(tool,), steps=steps), tmp_path / "a" / "b.yaml")
    assert words in str(caught.value)
    assert not list(tmp_path.glob("*/*.yaml"))


def test_a_document_says_only_what_is_said() -> None:
    document = scenario_document(SCENARIOS["multi_turn.hello"], {})
    assert set(document) <= {"title", "rules", "system", "tools", "steps"}
