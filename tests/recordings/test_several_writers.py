"""Several recorders on one cassette, and recorders that are killed: what was told to be recorded is there."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
from recorded import said

from conformance.files.locks import FileLock
from conformance.recordings import shared
from conformance.recordings.interaction import Cassette
from conformance.recordings.recorder import Recorder
from conformance.recordings.store import CassetteError, read_cassette, write_cassette
from conformance.recordings.sweeping import part_file, sweep_cassettes

WRITER = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, {here!r})
from recorded import said
from conformance.recordings.recorder import Recorder

name, path, resume = sys.argv[1], Path(sys.argv[2]), {{"yes": True, "no": False, "unsaid": None}}[sys.argv[3]]
recorder = Recorder(path, resume=resume)
print("ready", flush=True)
sys.stdin.readline()
for number in range(int(sys.argv[4])):
    recorder.add(said({{"number": f"{{name}}/{{number}}"}}, b"\\xff" if f"{{name}}/{{number}}" == {binary!r} else None))
    print(f"{{name}}/{{number}}", flush=True)
"""


def writer(
    name: str, path: Path, times: int, resume: str = "yes", binary: str = ""
) -> subprocess.Popen[str]:
    """A process that records ``times`` interactions when it is told to, and says which it has recorded."""
    program = WRITER.format(here=str(Path(__file__).parent), binary=binary)
    return subprocess.Popen(
        [sys.executable, "-c", program, name, str(path), resume, str(times)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def ready(running: subprocess.Popen[str]) -> None:
    """Wait until it has its recorder."""
    assert running.stdout is not None
    assert running.stdout.readline() == "ready\n"


def told(running: subprocess.Popen[str]) -> tuple[list[str], str]:
    """Let it record. What it says is recorded, and what it complained about."""
    said_, complaints = running.communicate("go\n", timeout=120)
    return said_.split(), complaints


def kept(path: Path) -> list[str]:
    """What is recorded."""
    return [json.loads(item.request.body)["number"] for item in read_cassette(path).interactions]


def together(processes: Sequence[subprocess.Popen[str]]) -> list[str]:
    """Let all record at the same time. What they say is recorded."""
    for running in processes:
        ready(running)
    for running in processes:
        assert running.stdin is not None
        running.stdin.write("go\n")
        running.stdin.flush()
    found = [running.communicate(timeout=120) for running in processes]
    assert [complaints for _, complaints in found if complaints] == []
    return [name for said_, _ in found for name in said_.split()]


# --- several at once -------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("binary", ["", "b/3"], ids=["text", "one becomes YAML"])
def test_several_processes_lose_nothing(tmp_path: Path, binary: str) -> None:
    path = tmp_path / "a.json"
    processes = [writer(name, path, 6, binary=binary) for name in "abcd"]
    recorded = together(processes)
    assert len(recorded) == 24
    found = kept(tmp_path / ("a.yaml" if binary else "a.json"))
    assert sorted(found) == sorted(recorded)
    assert [name for name in found if name.startswith("a")] == [f"a/{number}" for number in range(6)]
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.slow
def test_who_comes_late_adds_or_is_told(tmp_path: Path) -> None:
    """Without ``resume``, too: nothing is lost, and nobody is told that something is kept that is not."""
    path = tmp_path / "a.json"
    early, same_time = writer("a", path, 3, "unsaid"), writer("b", path, 3, "unsaid")
    ready(early)
    ready(same_time)
    assert told(early) == (["a/0", "a/1", "a/2"], "")
    late = writer("c", path, 3, "unsaid")
    ready(late)
    assert told(same_time) == (["b/0", "b/1", "b/2"], "")
    recorded, complaints = told(late)
    assert recorded == []
    assert complaints.splitlines()[-1].endswith(
        "a.json: there is a recording: resume=True adds to it, resume=False takes its place"
    )
    assert kept(path) == ["a/0", "a/1", "a/2", "b/0", "b/1", "b/2"]


def test_several_recorders_in_one_process_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.json"

    def record(name: str) -> None:
        recorder = Recorder(path, resume=True)
        for number in range(5):
            recorder.add(said({"number": f"{name}/{number}"}))

    threads = [threading.Thread(target=record, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(kept(path)) == [f"{name}/{number}" for name in "abc" for number in range(5)]


def test_through_another_name_it_is_the_same_cassette(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "link.json").symlink_to(tmp_path / "there" / "a.json")
    one, other = Recorder(tmp_path / "there" / "a.json"), Recorder(tmp_path / "link.json")
    for recorder in (one, other, one):
        recorder.add(said({"number": "x"}))
    assert (tmp_path / "link.json").is_symlink()
    assert len(one.interactions) == len(kept(tmp_path / "there" / "a.json")) == 3


def test_an_earlier_recording_is_replaced_only_where_that_is_said(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    Recorder(path).add(said({"number": "old"}))
    for _ in range(2):
        with pytest.raises(CassetteError, match="there is a recording"):
            Recorder(path).check()
    with pytest.raises(CassetteError, match="there is a recording"):
        Recorder(path).add(said({"number": "new"}))
    anew = Recorder(path, resume=False)
    assert kept(path) == ["old"]
    anew.add(said({"number": "new"}))
    assert kept(path) == ["new"]
    again = Recorder(path, resume=False)
    anew.add(said({"number": "newer"}))
    again.add(said({"number": "newest"}))  # others recorded since it was asked for: that is no earlier recording
    assert kept(path) == ["new", "newer", "newest"]


def test_what_somebody_removed_is_written_again(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "a.json")
    recorder.add(said({"number": "1"}))
    recorder.path.unlink()
    recorder.add(said({"number": "2"}))
    assert kept(recorder.path) == ["1", "2"]


def test_what_somebody_broke_is_told_and_left(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "a.json")
    recorder.add(said({"number": "1"}))
    recorder.path.write_text("{", "utf-8")
    with pytest.raises(CassetteError, match="not JSON"):
        recorder.add(said({"number": "2"}))
    assert recorder.path.read_text("utf-8") == "{"
    with pytest.raises(CassetteError, match="not JSON"):
        recorder.check()


def test_who_holds_the_lock_too_long_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared, "LOCK_SECONDS", 0.1)
    recorder = Recorder(tmp_path / "a.json")
    with (
        FileLock(tmp_path / ".a.lock"),
        pytest.raises(CassetteError, match=r"cannot be written: another process has been writing it for 0\.1 s"),
    ):
        recorder.add(said())


# --- killed ----------------------------------------------------------------------------------------------------------

KILLED = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, {here!r})
from recorded import said
import conformance.files.locks as locks
from conformance.recordings.recorder import Recorder

def deadly(owner, name, left):
    real = getattr(owner, name)
    def call(*words, **options):
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*words, **options)
    setattr(owner, name, call)

def record(folder, nth):
    recorder, told = Recorder(folder / "a.json"), os.open(folder.with_suffix(".told"), os.O_WRONLY | os.O_CREAT)
    left = [nth]
    for owner, names in ((os, "fsync fdopen open close scandir fstat"), (Path, "open replace unlink stat"),
                         (locks.fcntl, "flock")):
        for name in names.split():
            deadly(owner, name, left)
    for number in range(3):
        recorder.add(said({{"number": str(number)}}, b"\\xff" if str(number) == {binary!r} else None))
        os.write(told, b"%d\\n" % number)
    os._exit(0)

for nth in range(1, 1000):
    if os.fork() == 0:
        record(Path(sys.argv[1]) / str(nth), nth)
    if os.wait()[1] == 0:
        break
"""
"""Records three interactions, and is killed before its first call of the system; then before its second; and so on."""


@pytest.mark.slow
@pytest.mark.parametrize("binary", ["", "1"], ids=["text", "one becomes YAML"])
def test_a_writer_that_is_killed_anywhere_loses_nothing_and_leaves_nothing(tmp_path: Path, binary: str) -> None:
    program = KILLED.format(here=str(Path(__file__).parent), binary=binary)
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], timeout=120, check=True, capture_output=True)
    assert done.stderr == b""
    recordings = list(tmp_path.glob("*.told"))
    assert len(recordings) > 60
    for path in recordings:
        recorded, folder = path.read_text("utf-8").split(), path.with_suffix("")
        recorder = Recorder(folder / "a.json", resume=True)
        assert [json.loads(item.request.body)["number"] for item in recorder.interactions][: len(recorded)] == recorded
        recorder.add(said({"number": "after"}))
        names = sorted(item.name for item in folder.iterdir())
        assert names == ["a.json"] or (binary and set(names) <= {"a.json", "a.yaml"})
        assert kept(recorder.path)[-1] == "after"


def test_what_a_killed_writer_of_an_earlier_version_left_is_removed(tmp_path: Path) -> None:
    for name in (".a.json.0123456789ab.tmp", ".b.json.0123456789ab.tmp", ".a.lock", ".a.json.tmp"):
        (tmp_path / name).write_bytes(b"")
    write_cassette(tmp_path / "a.json", Cassette((said(),)))
    assert sorted(item.name for item in tmp_path.iterdir() if item.name.startswith(".")) == [
        ".a.json.tmp", ".a.lock", ".b.json.0123456789ab.tmp",
    ]  # fmt: skip



def test_a_part_that_is_in_its_place_is_removed_and_one_that_is_not_stays(tmp_path: Path) -> None:
    """A recording of a case may be killed after its part was put in its place, or before."""
    for name, part, whole in (("placed", "1", "1"), ("again", "2", "1"), ("going_on", "1", None)):
        cassette = tmp_path / "ollama" / f"shell.{name}.blocking.json"
        write_cassette(part_file(cassette), Cassette((said({"number": part}),)))
        if whole:
            write_cassette(cassette, Cassette((said({"number": whole}),)))
    (tmp_path / "ollama" / ".shell.again.blocking.case.lock").touch()
    (tmp_path / "ollama" / ".shell.again.blocking.json.0123456789ab.tmp").touch()
    (tmp_path / "ollama" / ".somebody's.lock").write_text("1234")
    sweep_cassettes(tmp_path)
    assert sorted(item.name for item in (tmp_path / "ollama").iterdir() if item.name.startswith(".")) == [
        ".shell.again.blocking.part.json", ".shell.going_on.blocking.part.json", ".somebody's.lock",
    ]  # fmt: skip
