"""The hooks for pre-commit, tried by the real one in a scratch repository."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from action import ROOT

PRE_COMMIT = shutil.which("pre-commit")
KEY = "sk-proj-" + "a1B2c3D4e5F6g7H8" * 3


CONFIG = """
repos:
  - repo: {repo}
    rev: {rev}
    hooks:
      - id: conformance-secrets
      - id: conformance-audit
"""


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def hooked(folder: Path, hook: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(PRE_COMMIT), "run", hook, "--all-files", "--verbose"], cwd=folder, capture_output=True, text=True,
        check=False, timeout=900,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.skipif(PRE_COMMIT is None, reason="needs pre-commit, and an index to install from")
@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="needs the repository: hooks are taken from a commit")
def test_a_key_in_a_cassette_stops_the_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The hooks of the last commit: pre-commit installs them as it would from anywhere."""
    monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path / "home"))
    work = tmp_path / "work"
    (work / "cassettes").mkdir(parents=True)
    git(work, "init", "-q")
    text = CONFIG.format(repo=ROOT, rev=git(ROOT, "rev-parse", "HEAD"))
    (work / ".pre-commit-config.yaml").write_text(text, "utf-8")
    cassette = work / "cassettes" / "a.json"
    shutil.copy(min((ROOT / "cassettes" / "ollama").glob("*.json")), cassette)
    git(work, "add", "-A")
    for hook in ("conformance-secrets", "conformance-audit"):
        done = hooked(work, hook)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "exchanges" in done.stdout

    document = json.loads(cassette.read_text("utf-8"))
    document["interactions"][0]["request"]["headers"]["authorization"] = [f"Bearer {KEY}"]
    cassette.write_text(json.dumps(document), "utf-8")
    git(work, "add", "-A")
    done = hooked(work, "conformance-secrets")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "authorization" in done.stdout
    assert KEY not in done.stdout
