"""The package as users get it: a wheel, installed elsewhere, holds all that a run needs."""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.slow
def test_the_wheel_runs_elsewhere(tmp_path: Path) -> None:
    home = tmp_path / "venv"
    venv.create(home, with_pip=True)
    binaries = home / ("Scripts" if sys.platform == "win32" else "bin")
    pip = [binaries / "python", "-m", "pip", "-q", "--disable-pip-version-check"]
    subprocess.run([*pip, "wheel", "--no-deps", "-w", tmp_path / "dist", ROOT], check=True, capture_output=True)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    subprocess.run([*pip, "install", "--no-compile", wheel], check=True, capture_output=True)
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
    assert len(result["adapters"][0]["providers"]) == 11
    assert result["run"]["cases"]["finished"] > 0
    told = subprocess.run(
        [binaries / "conformance", "explain", "common.result.no-orphan", "--format", "json"],
        cwd=elsewhere,
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(told.stdout)["kills"]["count"] > 0
