"""A recording that is broken off loses nothing, and goes on where it stopped: every call is made once."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from commands import replayed, run
from fake_provider import Fake, faking, obeying
from hearing import hear_signals

from conformance.http import Request
from conformance.recordings.store import read_cassette
from conformance.scenarios import load_scenarios
from conformance.script import ScriptError, ScriptTurn

Record = Callable[[str, object], None]
CHAIN = "multi_turn.sequential_chain"
CALLS = len(load_scenarios()[CHAIN].answers)


def recording(fake: Fake, folder: Path, *more: str, scenario: str = CHAIN) -> list[str]:
    """The words of the command that records a fake provider."""
    where = ["--provider", fake.provider, "--base-url", fake.url, "--scenario", scenario]
    return ["record", *where, "--to", str(folder), "--delivery", "blocking", *more]


def files(folder: Path) -> list[str]:
    """What is there, hidden files too."""
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


@pytest.fixture
def fake() -> Iterator[Fake]:
    """An obeying provider."""
    with faking("openai-chat", obeying(CHAIN)) as one:
        yield one


# --- the plan --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_plan_calls_nobody_and_needs_no_key(
    fake: Fake, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    folder = tmp_path / "cassettes"
    assert run(*recording(fake, folder, "--plan")) == 0
    assert fake.requests == []
    assert not folder.exists()
    printed = capsys.readouterr().out
    assert f"openai-chat: 1 cases, {CALLS} calls, about " in printed
    assert run("record", "--provider", "anthropic", "--scenario", CHAIN, "--to", folder, "--plan") == 0
    assert f"anthropic: 2 cases, {2 * CALLS} calls, about " in capsys.readouterr().out
    assert run("record", "--provider", "anthropic", "--scenario", CHAIN, "--to", str(folder)) == 2
    assert "set ANTHROPIC_API_KEY" in capsys.readouterr().err


@pytest.mark.slow
def test_the_plan_is_what_happens(fake: Fake, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = recording(fake, tmp_path)
    assert run(*words) == 0
    assert len(fake.requests) == CALLS
    capsys.readouterr()
    assert run(*words, "--plan") == 0
    assert capsys.readouterr().out.startswith("nothing to record")
    assert run(*words) == 0
    assert len(fake.requests) == CALLS
    assert run(*words, "--again") == 0
    assert len(fake.requests) == 2 * CALLS


def test_nothing_is_recorded_by_default(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("record") == 2
    assert "--provider P is needed" in capsys.readouterr().err


# --- the last call that may be made ----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("limit", [0, 1, CALLS - 1, CALLS])
def test_max_calls_is_a_hard_stop(
    fake: Fake, tmp_path: Path, capsys: pytest.CaptureFixture[str], limit: int, record_property: Record
) -> None:
    record_property("recordings broken off and gone on with", 1)
    code = run(*recording(fake, tmp_path, "--max-calls", str(limit)))
    assert len(fake.requests) == limit
    printed = capsys.readouterr().out
    if limit < CALLS:
        assert code == 1
        assert f"stopped after {limit} calls: record again to go on, or raise --max-calls" in printed
    assert run(*recording(fake, tmp_path)) == 0
    assert len(fake.requests) == CALLS
    assert files(tmp_path) == [f"{CHAIN}.blocking.json"]
    assert len(read_cassette(tmp_path / "openai-chat" / f"{CHAIN}.blocking.json").interactions) == CALLS
    assert replayed(tmp_path, "--provider", "openai-chat")[0] == 0


# --- what breaks it off ----------------------------------------------------------------------------------------------


def interrupted(tmp_path: Path, stop: Callable[[subprocess.Popen[str]], None], code: int, words: str) -> None:
    """Stop a recording during its second call; then record again."""
    asked, go_on = threading.Event(), threading.Event()

    def before(number: int) -> None:
        if number == 2:
            asked.set()
            go_on.wait(60)

    with faking("openai-chat", obeying(CHAIN), before) as fake:
        command = [sys.executable, "-m", "conformance", *recording(fake, tmp_path)]
        running = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=hear_signals
        )
        assert asked.wait(60)
        stop(running)
        printed, complaints = running.communicate(timeout=60)
        go_on.set()
        assert running.returncode == code, complaints
        assert words in printed
        [part] = [path for path in tmp_path.rglob("*.json") if path.is_file()]
        assert len(read_cassette(part).interactions) == 1
        assert run(*recording(fake, tmp_path)) == 0
        assert files(tmp_path) == [f"{CHAIN}.blocking.json"]
        assert len(fake.requests) == CALLS + 1  # the one that nobody waited for was asked again, and no other


@pytest.mark.slow
def test_an_interrupt_loses_nothing(tmp_path: Path, record_property: Record) -> None:
    record_property("recordings broken off and gone on with", 1)
    interrupted(tmp_path, lambda running: running.send_signal(signal.SIGINT), 130, "interrupted: record again to go on")


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="children are found in /proc")
def test_a_killed_worker_loses_nothing(tmp_path: Path, record_property: Record) -> None:
    record_property("recordings broken off and gone on with", 1)

    def kill_worker(running: subprocess.Popen[str]) -> None:
        [worker] = children(running.pid)
        os.kill(worker, signal.SIGKILL)

    interrupted(tmp_path, kill_worker, 1, "SIGKILL")


def children(parent: int) -> list[int]:
    """The processes that a process started."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has just ended
        if int(fields[1]) == parent and fields[0] != "Z":
            found.append(int(path.parent.name))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("room", [1_000, 4_000, 6_000])
def test_a_full_disk_loses_nothing(fake: Fake, tmp_path: Path, room: int, record_property: Record) -> None:
    """No file may grow beyond ``room`` bytes. What was recorded before is there, nothing else is, and no more calls
    are made than the one whose answer could not be kept."""

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))

    record_property("disks full while recording", 1)
    command = [sys.executable, "-m", "conformance", *recording(fake, tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit, timeout=120, check=False)
    assert done.returncode == 1, done.stderr
    assert "cannot be written: File too large" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert all(path.suffix == ".json" for path in kept)
    recorded = sum(len(read_cassette(path).interactions) for path in kept)
    assert len(fake.requests) == recorded + 1
    assert run(*recording(fake, tmp_path)) == 0
    assert len(fake.requests) == CALLS + 1
    assert replayed(tmp_path, "--provider", "openai-chat")[0] == 0


@pytest.mark.slow
def test_a_folder_that_cannot_be_written_to(
    fake: Fake, tmp_path: Path, capsys: pytest.CaptureFixture[str], record_property: Record
) -> None:
    record_property("folders that cannot be written to", 1)
    folder = tmp_path / "cassettes"
    folder.mkdir()
    (folder / "openai-chat").write_text("a file, where a folder should be", "utf-8")
    assert run(*recording(fake, folder)) == 1
    assert "cannot be written to" in capsys.readouterr().out
    assert fake.requests == []
    assert run(*recording(fake, folder / "openai-chat" / "below")) == 2
    assert "--to" in capsys.readouterr().err
    if os.geteuid():  # nothing is read-only to the superuser
        (tmp_path / "locked").mkdir(0o500)
        assert run(*recording(fake, tmp_path / "locked")) == 1
        assert fake.requests == []


# --- several at once -------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_two_recordings_into_one_folder(tmp_path: Path) -> None:
    """Each waits for the other, case by case, and takes what is there: every call is made once."""
    started = threading.Event()

    def before(number: int) -> None:
        if number == 1:
            started.wait(3)  # until both are under way

    with faking("openai-chat", obeying(CHAIN), before) as fake:
        command = [sys.executable, "-m", "conformance", *recording(fake, tmp_path)]
        running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
        for one in running:
            printed, _ = one.communicate(timeout=120)
            assert one.returncode == 0, printed
        assert len(fake.requests) == CALLS
    assert files(tmp_path) == [f"{CHAIN}.blocking.json"]
    assert replayed(tmp_path, "--provider", "openai-chat")[0] == 0


# --- what is not kept ------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_wrong_key_ends_it_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-wrong-0123456789abcdef0123")
    with faking("openai-chat", lambda place, request: ScriptError("authentication", "wrong key")) as fake:
        assert run(*recording(fake, tmp_path, "--scenario", "shell.*")) == 1
        assert len(fake.requests) == 1
    assert "answered 401" in capsys.readouterr().out


@pytest.mark.slow
def test_a_model_that_does_something_else_is_not_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def says(place: int, request: Request) -> ScriptTurn:
        return ScriptTurn("I would rather talk.")

    with faking("anthropic", says) as fake:
        assert run(*recording(fake, tmp_path)) == 1
    assert "the model chose something else, so it is not kept" in capsys.readouterr().out
    assert files(tmp_path) == []
