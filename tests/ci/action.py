"""A composite action, played: its shell steps, with inputs and environment as GitHub gives them. Steps of others
(``uses``) and those that need the host (``gh``) are left out."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]

_EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")


def action() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    return found


def run_action(inputs: Mapping[str, str], folder: Path, environment: Mapping[str, str]) -> tuple[int, dict[str, str]]:
    """The exit code of the action, and what each step that ran printed. As on GitHub, the first step that fails ends
    it."""
    known = {name: str(entry.get("default", "")) for name, entry in action()["inputs"].items()} | inputs
    said = {}
    for step in action()["runs"]["steps"]:
        if not _is_due(step.get("if", ""), known):
            continue
        own = {name: _filled(str(value), known) for name, value in step.get("env", {}).items()}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], cwd=folder, check=False,
            env={**environment, "GITHUB_ACTION_PATH": str(ROOT), **own}, capture_output=True, text=True, timeout=300,
        )  # fmt: skip
        said[step["name"]] = done.stdout + done.stderr
        if done.returncode:
            return done.returncode, said
    return 0, said


def _filled(text: str, inputs: Mapping[str, str]) -> str:
    return _EXPRESSION.sub(lambda found: inputs.get(found[1].removeprefix("inputs."), ""), text)


def _is_due(condition: str, inputs: Mapping[str, str]) -> bool:
    """Whether a step runs, of the conditions that the action has: inputs that are 'true'."""
    wanted = re.findall(r"inputs\.(\w+) == 'true'", condition)
    return all(inputs[name] == "true" for name in wanted) and "github." not in condition


def environment(folder: Path) -> dict[str, str]:
    """What a runner has: Python with the suite on its path, and the file for the summary."""
    import sys

    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    kept = {name: os.environ[name] for name in ("HOME", "LANG", "XDG_CACHE_HOME") if name in os.environ}
    return {**kept, "PATH": path, "GITHUB_STEP_SUMMARY": str(folder / "summary.md"), "PYTHONPATH": str(ROOT)}
