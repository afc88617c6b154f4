"""The package as users get it: a wheel, installed elsewhere, holds all that a run needs."""

from __future__ import annotations

import json
import subprocess
import venv
from pathlib import Path

import pytest
from wheels import install, wheel

from conformance.wires import PROVIDERS


@pytest.mark.slow
def test_the_wheel_runs_elsewhere(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    home = tmp_path / "venv"
    venv.create(home)
    binaries = install(home, wheel(tmp_path_factory))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    done = subprocess.run(
        [binaries / "conformance", "run", "--scenario", "shell.*", "--delivery", "blocking", "--format", "json"],
        cwd=elsewhere,
        capture_output=True,
        text=True,
        check=True,
    )
    result = json.loads(done.stdout)
    assert result["suite"]["rules"] >= 187
    assert result["suite"]["scenarios"] >= 40
    assert result["adapters"][0]["providers"] == list(PROVIDERS)
    assert result["run"]["cases"]["finished"] > 0
    told = subprocess.run(
        [binaries / "conformance", "explain", "common.result.no-orphan", "--format", "json"],
        cwd=elsewhere,
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(told.stdout)["kills"]["count"] > 0
