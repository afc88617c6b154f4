"""Keys stay out of what is written through, of cassettes with several writers, and of all processes that are kept."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from conformance.environments import tools
from conformance.files.whole import write_text
from conformance.http import Request
from conformance.masking.door import SecretRemainsError
from conformance.masking.environment import without_keys
from conformance.processes.running import run_kept
from conformance.recordings.interaction import Interaction
from conformance.recordings.recorder import Recorder
from conformance.recordings.store import read_cassette

KEY = "Zq8vN2xW4tLk7RbY"


@pytest.fixture
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", KEY)


def _said(text: str, **headers: str) -> Interaction:
    body = json.dumps({"messages": [{"role": "user", "content": text}]}).encode()
    return Interaction(Request("POST", "https://api.openai.com/v1/chat/completions", headers, body), 200, (), (b"{}",))


@pytest.mark.usefixtures("_key")
@pytest.mark.parametrize("kind", ["file", "link", "fifo", "nothing"])
def test_a_key_is_not_written_through(tmp_path: Path, kind: str) -> None:
    path, real = tmp_path / "out.json", tmp_path / "real.json"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind != "nothing":
        (real if kind == "link" else path).write_text("as it was", "utf-8")
    if kind == "link":
        path.symlink_to(real)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(SecretRemainsError, match="the value of SOME_API_KEY"):
        write_text(path, f'{{"name": "{KEY}"}}')
    assert sorted(tmp_path.iterdir()) == before
    if kind in ("file", "link"):
        assert path.read_text("utf-8") == "as it was"


def test_what_one_recorder_learned_is_removed_from_what_others_wrote(tmp_path: Path) -> None:
    """The other one does not know that it is a key."""
    path = tmp_path / "a.json"
    one, other = Recorder(path, resume=True), Recorder(path, resume=True)
    one.add(_said("first", authorization=f"Bearer {KEY}"))
    other.add(_said(f"second: {KEY}"))
    one.add(_said("third"))
    assert KEY not in path.read_text("utf-8")
    assert len(read_cassette(path).interactions) == 3


@pytest.mark.usefixtures("_key")
@pytest.mark.parametrize("way", ["", "group"])
def test_processes_that_are_kept_have_no_keys(monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    """Neither have their keepers."""
    monkeypatch.setenv("CONFORMANCE_PROCESSES", way)
    look = "import pathlib; print([p.read_bytes() for p in map(pathlib.Path, ('/proc/self/environ', '/proc/%d/environ'"
    look += " % __import__('os').getppid())) if p.exists()])"
    for environment in (without_keys(), tools.surroundings()):
        done = run_kept([sys.executable, "-c", look], environment=environment)
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith("[b'")
        assert KEY not in done.stdout
