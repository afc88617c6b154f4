"""Small adapters in TypeScript: what the command writes is built, and conforms in what it declares."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from playing import play

from conformance.cli import main
from conformance.cli.scaffolding_typescript import SMALL_TYPESCRIPT
from conformance.engine.cases import Selection
from conformance.outcomes import FAILURES

ROOT = Path(__file__).resolve().parents[2]
FEW = Selection(
    scenarios=("parallel_calls.*", "arguments.*", "errors.*", "multi_turn.*", "tool_choice.*", "shell.*"),
    deliveries=("blocking", "stream:per-event", "stream:random-1"),
)


def test_a_scaffold_reads_json_as_the_runner_does() -> None:
    scaffold = ROOT / "conformance/scaffolds/typescript-small/src/exact.ts"
    assert scaffold.read_text("utf-8") == (ROOT / "clients/node/runner/exact.ts").read_text("utf-8")


def test_only_the_formats_that_are_asked_for_are_written(tmp_path: Path) -> None:
    words = ["new", "adapter", str(tmp_path / "mine"), "--language", "typescript"]
    assert main([*words, "--provider", "gemini"]) == 0
    written = {path.stem for path in (tmp_path / "mine" / "src").iterdir()}
    assert written & SMALL_TYPESCRIPT.keys() == {"gemini"}
    assert "{{" not in (tmp_path / "mine" / "src" / "adapter.ts").read_text("utf-8")


@pytest.mark.slow
@pytest.mark.skipif(not all(map(shutil.which, ("node", "npm"))), reason="there is no Node with npm")
def test_it_is_built_and_conforms(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    words = ["new", "adapter", str(folder), "--language", "typescript", "--provider", ",".join(SMALL_TYPESCRIPT)]
    assert main(words) == 0
    for command in (["npm", "install", "--no-audit", "--no-fund"], ["npm", "run", "build"]):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300)
        if done.returncode and command[1] == "install":
            pytest.skip(f"npm cannot install here: {done.stderr.strip()[-300:]}")
        assert done.returncode == 0, done.stdout + done.stderr
    played = play(f"stdio:node {folder}/dist/main.js", FEW)
    assert {provider for provider, _ in played.cells} == SMALL_TYPESCRIPT.keys()
    failed = {cell: dict(outcomes) for cell, outcomes in played.cells.items() if FAILURES & set(outcomes)}
    assert failed == {}
