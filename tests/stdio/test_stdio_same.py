"""The same logic gives the same matrix, in-process and through stdio, in Python and in other languages."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from conformance.cli import main
from conformance.wires import PROVIDERS

SERVE = f"{sys.executable} -m conformance.adapters.stdio.serve"
BUILD_SECONDS = 300

pytestmark = pytest.mark.slow


def run(address: str, folder: Path, *words: str) -> dict[str, Any]:
    """The result of a run from ``folder``."""
    done = subprocess.run(
        [sys.executable, "-m", "conformance", "run", address, "--format", "json", *words],
        cwd=folder, capture_output=True, text=True, check=False, timeout=600,
    )  # fmt: skip
    assert done.returncode in (0, 1) and done.stdout, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


ONLY_OURS = "common.adapter.leaves-what-it-is-given"
"""What only our own child sees, which serves adapters in Python: the others' objects are in their own processes."""


def matrix(result: dict[str, Any]) -> dict[tuple[str, str], Any]:
    """Outcome and cases of every cell."""
    cells = [cell for cell in result["cells"] if cell["rule"] != ONLY_OURS]
    return {(cell["provider"], cell["rule"]): (cell["outcome"], cell["cases"]) for cell in cells}


def test_the_reference_adapter_for_all_providers(tmp_path: Path) -> None:
    few = ["--delivery", "blocking", "--delivery", "stream:random-1"]
    inside = run("reference", tmp_path, *few)
    outside = run(f"stdio:{SERVE} reference", tmp_path, *few)
    assert matrix(inside) == matrix(outside)
    assert {provider for provider, _ in matrix(outside)} == set(PROVIDERS)
    assert inside["run"]["cases"] == outside["run"]["cases"]
    assert inside["adapters"][0]["name"] == outside["adapters"][0]["name"] == "reference"


KINDS = Path(__file__).parents[1] / "kinds"


@pytest.mark.parametrize("name", ["ByHttpx", "Loop", "RunsOnlyTheFirst", "ForgetsArguments"])
def test_clients_and_agents_are_judged_alike_in_a_child(name: str) -> None:
    """Right and wrong ones: whole loops, with tools that the harness runs, and requests that come over loopback."""
    few = ["--provider", "openai-chat", "--provider", "gemini"]
    few += ["--scenario", "parallel_calls.*", "--scenario", "shell.*", "--scenario", "binary_image.*"]
    few += ["--delivery", "blocking", "--delivery", "stream:per-event"]
    inside = run(f"python:own_kinds:{name}", KINDS, *few)
    outside = run(f"stdio:{SERVE} python:own_kinds:{name}", KINDS, *few)
    assert matrix(inside) == matrix(outside)
    assert inside["adapters"][0]["kind"] == outside["adapters"][0]["kind"]
    assert bool(outside["run"]["exit_code"]) is (name not in ("ByHttpx", "Loop"))


WRONG = """
from conformance import AdapterInfo
from adapter import Adapter as Good

class Adapter(Good):
    def parse_response(self, provider, response, *, conversation=None):
        turn = super().parse_response(provider, response, conversation=conversation)
        if len(turn.calls) == 2:
            raise ValueError("two are too many")
        return turn

    def parse_stream(self, provider, chunks, *, conversation=None):
        chunks = list(chunks)
        if any(chunk.startswith(b"\\n") for chunk in chunks):
            chunks = chunks[:-1]
        return super().parse_stream(provider, chunks, conversation=conversation)
"""


def scaffold(folder: Path, language: str, name: str = "scaffold") -> Path:
    """A new adapter's folder."""
    assert main(["new", "adapter", str(folder), "--language", language, "--name", name]) == 0
    return folder


def test_an_adapter_that_is_wrong_is_wrong_in_the_same_cells(tmp_path: Path) -> None:
    home = scaffold(tmp_path / "a", "python")
    (home / "wrong.py").write_text(WRONG)
    few = ("--scenario", "parallel_calls.*", "--scenario", "quirks.*")
    inside = run("python:wrong:Adapter", home, *few)
    outside = run(f"stdio:{SERVE} python:wrong:Adapter", home, *few)
    assert matrix(inside) == matrix(outside)
    outcomes = {outcome for outcome, _ in matrix(outside).values()}
    assert {"pass", "error", "fail"} <= outcomes
    told = [{failure["found"] for cell in one["cells"] for failure in cell.get("failures", []) if
             cell["rule"] == "common.adapter.completes"} for one in (inside, outside)]  # fmt: skip
    assert told[0] == told[1] == {"parse_response raised ValueError: two are too many"}


def built(folder: Path, *commands: list[str]) -> None:
    """Run the commands that build an adapter; skip when the machine cannot."""
    for command in commands:
        try:
            done = subprocess.run(
                command, cwd=folder, capture_output=True, text=True, check=False, timeout=BUILD_SECONDS
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired) as problem:
            pytest.skip(f"{command[0]}: {problem}")
        if done.returncode and command[:2] == ["npm", "install"]:
            pytest.skip(f"npm cannot install here: {done.stderr.strip()[-300:]}")
        assert done.returncode == 0, done.stdout + done.stderr


def python_matrix(folder: Path) -> dict[tuple[str, str], Any]:
    return matrix(run("python:adapter:Adapter", scaffold(folder, "python")))


def test_typescript_gives_the_same_matrix_as_python(tmp_path: Path) -> None:
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("node and npm are not installed")
    home = scaffold(tmp_path / "ts", "typescript")
    built(home, ["npm", "install", "--no-audit", "--no-fund"], ["npm", "run", "build"])
    result = run("stdio:node dist/main.js", home)
    assert result["adapters"][0]["language"] == "typescript"
    assert matrix(result) == python_matrix(tmp_path / "py")


def test_go_gives_the_same_matrix_as_python(tmp_path: Path) -> None:
    if shutil.which("go") is None:
        pytest.skip("go is not installed")
    home = scaffold(tmp_path / "go", "go")
    built(home, ["go", "vet", "."], ["go", "build"])
    result = run("stdio:./scaffold", home)
    assert result["adapters"][0]["language"] == "go"
    assert matrix(result) == python_matrix(tmp_path / "py")
