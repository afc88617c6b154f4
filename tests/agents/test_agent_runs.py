"""Whole runs, as a user begins them: the program in a process and a network of its own."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from conformance.agents.installing import agent_at
from conformance.agents.named_files import known_files
from conformance.agents.recipe import load_recipe
from conformance.cli import main
from conformance.recipes.installing import NotInstalledError
from conformance.schemas import problems

TINY = Path(__file__).with_name("tiny_agent.py")
SCRIPT = "all_roles"
QUICK = ("codex", "llm")
"""The agents that take few seconds. CONFORMANCE_AGENTS=all plays the others, too."""


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, Any]]:
    """The exit code, and the verdict, which fits its schema."""
    code = main(["run", "--format", "json", *words])
    document = json.loads(capsys.readouterr().out)
    assert list(problems("agent_verdicts", document)) == []
    verdict: dict[str, Any] = document["verdicts"][0]
    return code, verdict


@pytest.mark.slow
def test_a_command_is_run_to_its_end(capsys: pytest.CaptureFixture[str]) -> None:
    code, verdict = run(capsys, "--", sys.executable, str(TINY), "${url}", "${task}")
    assert (code, verdict["outcome"], verdict["findings"], verdict["exit_code"]) == (0, "pass", [], 0)
    assert verdict["answers"]["played"] == verdict["answers"]["of"] == 8


@pytest.mark.slow
def test_a_faulty_command_fails(capsys: pytest.CaptureFixture[str]) -> None:
    code, verdict = run(capsys, "--", sys.executable, str(TINY), "${url}", "${task}", "hides_exit_code")
    assert (code, verdict["outcome"]) == (1, "fail")
    assert [one["rule"] for one in verdict["findings"]] == ["agent.result.failure-visible"]


PEEK = """
import socket, urllib.error, urllib.request
print("interfaces:", *[name for _, name in socket.if_nameindex()])
for target in ("http://192.0.2.1/", "http://example.com/"):
    try:
        urllib.request.urlopen(target, timeout=5)
    except OSError as problem:
        print("away:", problem)
"""


@pytest.mark.slow
def test_nobody_else_is_in_the_network_and_time_is_limited(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    peek = tmp_path / "peek.py"
    peek.write_text(PEEK + "import time; time.sleep(60)")
    code, verdict = run(capsys, "--timeout", "4", "--", sys.executable, "-u", str(peek))
    if not verdict["contained"]:
        pytest.skip("no network namespace can be made here")
    assert verdict["said"].count("away:") == 2
    assert "interfaces: lo\n" in verdict["said"]
    assert {one["host"] for one in verdict["outsiders"]} <= {"example.com"}  # nobody, where names cannot be watched
    rules = {one["rule"]: one for one in verdict["findings"]}
    assert code == 1
    assert rules.keys() == {"agent.ends.well", "agent.loop.to-the-end"}


def test_an_agent_that_is_not_installed_is_not_run(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    recipe = tmp_path / "mine.yaml"
    recipe.write_text(
        "title: Mine\ncommand: [mine]\nproviders: {openai-chat: }\n"
        'install: {kind: python, package: mine, python: "3.77"}\n'
    )
    code, verdict = run(capsys, f"agent:{recipe}")
    assert (code, verdict["outcome"], verdict["reason"]) == (4, "not run", "needs Python 3.77")


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(known_files("recipe")))
def test_an_installed_agent_plays_the_script_with_all_roles(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    if name not in QUICK and os.environ.get("CONFORMANCE_AGENTS") != "all":
        pytest.skip("it takes long: CONFORMANCE_AGENTS=all plays it")
    try:
        agent_at(load_recipe(name))
    except NotInstalledError as problem:
        pytest.skip(str(problem))
    _, verdict = run(capsys, f"agent:{name}", "--script", SCRIPT)
    assert verdict["answers"]["played"] == verdict["answers"]["of"], verdict
    assert verdict["exit_code"] == 0


