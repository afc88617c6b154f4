"""The budgets of processor time: what is above them fails where that is asked, and nothing else does."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

OURS = runpy.run_path(str(Path(__file__).with_name("conftest.py")))
"""By its path: other folders have a module of this name, too."""
BUDGETS, SLACK, over_budget = (OURS[name] for name in ("BUDGETS", "SLACK", "over_budget"))
QUICK, WHOLE = OURS["QUICK"], OURS["WHOLE"]
LIMITED = OURS["LIMITED"]
SLOW = f"""
import os, pytest
@pytest.mark.slow
def test_slow(): assert {LIMITED!r} not in os.environ
def test_quick(): pass
"""


def test_what_is_within_the_slack_is_no_fault() -> None:
    assert over_budget({command: budget * SLACK for command, budget in BUDGETS.items()}) == []


@pytest.mark.parametrize("command", BUDGETS)
def test_each_budget_is_told_by_its_command(command: str) -> None:
    [line] = over_budget({WHOLE: 0, QUICK: 0, command: BUDGETS[command] * SLACK + 1})
    assert f"`{command}`" in line and str(BUDGETS[command]) in line


@pytest.mark.parametrize(("asked", "slow"), [("", 1), ("yes", 1), ("44.5", 1), ("89", 1), ("267.0", 3)])
def test_a_slow_machine_has_more_seconds(asked: str, slow: float) -> None:
    """By what `conformance run` took there just before."""
    assert OURS["slowness"](asked) == slow
    taken = {WHOLE: BUDGETS[WHOLE] * SLACK * slow, QUICK: 0}
    assert over_budget(taken, slow) == []
    assert over_budget({**taken, WHOLE: taken[WHOLE] + 1}, slow) != []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seconds", "words", "variables", "code"),
    [
        (0.0, ["--cpu-budget"], {}, 1), (0.0, [], {LIMITED: "yes"}, 1), (0.0, [], {}, 0),
        (100.0, ["--cpu-budget"], {LIMITED: "yes"}, 0),
    ],
)  # fmt: skip
def test_a_run_above_the_budget_fails(
    tmp_path: Path, seconds: float, words: list[str], variables: dict[str, str], code: int
) -> None:
    """A run of two tests, where a budget is ``seconds``; with one worker, because workers' time is only known late."""
    ours = Path(__file__).with_name("conftest.py").read_text("utf-8")
    (tmp_path / "conftest.py").write_text(f"{ours}\nBUDGETS[WHOLE] = {seconds}\n")
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n    slow: x\n")
    (tmp_path / "test_two.py").write_text(SLOW)
    command = [sys.executable, "-m", "pytest", "-n", "1", *words]
    told = {**os.environ, **variables}
    ran = subprocess.run(command, cwd=tmp_path, env=told, capture_output=True, text=True, check=False)
    assert ran.returncode == code, ran.stdout + ran.stderr
    assert ("over budget" in ran.stdout) is bool(code)
    assert "in 2 tests" in ran.stdout
