"""Whatever ends a command: everything ends with it, the result is written, and nothing is left."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from marked import WAYS, Marked, wait_until

from conformance.schemas import schema

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="processes are found in /proc")

TERM, HUP, INT, KILL = signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGKILL
FEW = ["--scenario", "shell.*", "--provider", "openai-chat"]
LIMIT = 2.0
"""How many seconds a command may take to end."""
LOADED = 8.0
"""How many more are forgiven, because the machine does other work too."""


def escaping(folder: Path, way: str, *words: str, **variables: str) -> Marked:
    """A run of the adapter that starts processes which do not want to end."""
    (folder / "escaped").mkdir()
    command = ["run", "python:escaping:Escapes", *FEW, "--out", "result.json", *words]
    return Marked(command, folder, way=way, ESCAPED=str(folder / "escaped"), **variables)


def partial(folder: Path) -> dict[str, Any]:
    """The result that was written: valid, and not whole."""
    result: dict[str, Any] = json.loads((folder / "result.json").read_text("utf-8"))
    jsonschema.validate(result, schema("result"))
    assert result["run"]["interrupted"] is True
    assert result["run"]["exit_code"] == 130
    return result


def started(folder: Path) -> bool:
    """Whether the stubborn processes are there."""
    return (folder / "escaped" / "started").exists()


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("numbers", [(TERM,), (HUP,), (INT,), (TERM, TERM), (INT, TERM, HUP)], ids=str)
def test_a_signal_ends_all_and_leaves_a_partial_result(tmp_path: Path, way: str, numbers: tuple[int, ...]) -> None:
    with escaping(tmp_path, way, "-j", "2", HANG="yes") as command:
        command.until(lambda: started(tmp_path))
        assert len(command.named("sh -c trap")) >= 3
        command.send(*numbers)
        begun = time.monotonic()
        assert command.ends() == 130, command.said()
        assert time.monotonic() - begun < LIMIT + LOADED
        assert command.left() == []
        assert "Traceback" not in command.said()
    assert partial(tmp_path)["run"]["cases"]["planned"] > 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["escaped", "printed", "result.json", "temporary"]


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_when_the_supervisor_is_killed_nothing_is_left(tmp_path: Path, way: str) -> None:
    with escaping(tmp_path, way, "-j", "2", HANG="yes") as command:
        command.until(lambda: started(tmp_path))
        command.send(KILL)
        assert command.ends() == -KILL
        wait_until(lambda: command.left() == [])


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_what_a_lost_child_started_ends_at_once(tmp_path: Path, way: str) -> None:
    """A case that takes too long costs its child, and nothing of it runs beside the cases that come after."""
    (tmp_path / "escaped").mkdir()
    words = ["run", "python:escaping:Escaping", "--scenario", "shell.success", "--provider", "openai-chat"]
    more = ["--timeout", "1", "--delivery", "blocking", "--delivery", "stream:whole", "--format", "json", "-j", "1"]
    with Marked([*words, *more], tmp_path, way=way, ESCAPED=str(tmp_path / "escaped"), HANG="yes") as command:
        most = 0
        while command.process.poll() is None:
            most = max(most, len(command.named("sh -c trap")))
            time.sleep(0.05)
        assert 3 <= most < 6
        assert command.ends() == 1
        assert json.loads(command.said())["run"]["cases"]["finished"] == 2


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_a_run_that_ends_by_itself_leaves_nothing(tmp_path: Path, way: str) -> None:
    with escaping(tmp_path, way) as command:
        assert command.ends() == 0, command.said()
        assert started(tmp_path)
        assert command.left() == []


STDIO = f"stdio:{sys.executable} {Path(__file__).parent / 'escaping.py'}"


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("number", [TERM, KILL], ids=["SIGTERM", "SIGKILL"])
def test_children_in_any_language_end_too(tmp_path: Path, way: str, number: int) -> None:
    """While they are started, and have not said yet what they are."""
    (tmp_path / "escaped").mkdir()
    words = ["run", STDIO, "--out", "result.json"]
    with Marked(words, tmp_path, way=way, ESCAPED=str(tmp_path / "escaped")) as command:
        command.until(lambda: started(tmp_path))
        command.send(number)
        assert command.ends() == (130 if number == TERM else -KILL)
        wait_until(lambda: command.left() == [])
    if number == TERM:
        assert partial(tmp_path)["adapters"] == []


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("number", [TERM, KILL], ids=["SIGTERM", "SIGKILL"])
def test_installers_end_too(tmp_path: Path, way: str, number: int) -> None:
    """An installer starts others: compilers, and scripts of packages."""
    (tmp_path / "escaped").mkdir()
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "uv").write_text(f"#!/bin/sh\nexec {sys.executable} {Path(__file__).parent / 'escaping.py'}\n")
    (programs / "uv").chmod(0o755)
    variables = {
        "PATH": f"{programs}:{os.environ['PATH']}", "ESCAPED": str(tmp_path / "escaped"),
        "CONFORMANCE_ENVS": str(tmp_path / "environments"),
    }  # fmt: skip
    with Marked(["env", "openai"], tmp_path, way=way, **variables) as command:
        command.until(lambda: started(tmp_path))
        assert len(command.named("sh -c trap")) >= 3
        command.send(number)
        begun = time.monotonic()
        assert command.ends() == (130 if number == TERM else -KILL)
        assert time.monotonic() - begun < LIMIT + LOADED
        assert command.left() == []
    if number == TERM:
        assert list((tmp_path / "environments").iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("number", [TERM, HUP, KILL], ids=["SIGTERM", "SIGHUP", "SIGKILL"])
def test_a_self_test_ends_too(tmp_path: Path, number: int) -> None:
    words = ["selftest", "--provider", "ollama", "--provider", "gemini", "-j", "2", "--out", "selftest.txt"]
    with Marked(words, tmp_path) as command:
        command.until(lambda: len(command.named("spawn_main")) >= 2)
        time.sleep(0.5)
        command.send(number)
        begun = time.monotonic()
        assert command.ends() == (-KILL if number == KILL else 130), command.said()
        assert time.monotonic() - begun < LIMIT + LOADED
        assert command.left() == []
        assert "Traceback" not in command.said()
    assert not (tmp_path / "selftest.txt").exists()


@pytest.mark.slow
@pytest.mark.parametrize("delay", [0.0, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6])
def test_at_any_time(tmp_path: Path, delay: float) -> None:
    """At start-up, while adapters are loaded, in the middle, at the end: no time is a wrong one."""
    words = ["run", "python:escaping:Slow", *FEW, "-j", "2", "--out", "result.json"]
    with Marked(words, tmp_path) as command:
        time.sleep(delay)
        command.send(TERM)
        code = command.ends()
        assert code in (130, -TERM, 0), command.said()  # before it hears signals, the system ends it
        assert command.left() == []
        assert "Traceback" not in command.said()
        assert "Exception" not in command.said()
        names = {path.name for path in tmp_path.iterdir()} - {"printed", "temporary"}
        assert names <= {"result.json"}


@pytest.mark.slow
def test_a_signal_while_the_result_is_written_waits_for_that(tmp_path: Path) -> None:
    """Nobody has read half of the FIFO when it comes."""
    os.mkfifo(tmp_path / "pipe.json")
    words = ["run", "reference", "--scenario", "shell.success", "--provider", "openai-chat", "--out", "pipe.json"]
    with Marked([*words, "--out", "after.json"], tmp_path) as command:
        with (tmp_path / "pipe.json").open("rb") as pipe:
            text = pipe.read(10)
            command.send(TERM, HUP)
            text += pipe.read()
        assert command.ends() == 130
    assert json.loads(text) == json.loads((tmp_path / "after.json").read_text("utf-8"))


@pytest.mark.slow
def test_a_fifo_that_nobody_reads_does_not_keep_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    words = ["run", "python:escaping:Slow", *FEW, "--out", "pipe.json"]
    with Marked(words, tmp_path) as command:
        command.until(lambda: "/" in command.said() or command.named("stdio.serve"))
        command.send(TERM)
        begun = time.monotonic()
        assert command.ends() in (2, 130)
        assert time.monotonic() - begun < LIMIT + LOADED
