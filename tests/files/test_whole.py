"""Files are written whole or not at all, and what is no regular file is written through."""

from __future__ import annotations

import errno
import os
import pty
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from conformance.cli import main
from conformance.files import through, whole
from conformance.files.locks import FileLock
from conformance.files.whole import unwritable, write_whole
from conformance.http import Request
from conformance.recordings.interaction import Cassette, Interaction
from conformance.recordings.recorder import Recorder
from conformance.recordings.store import CassetteError, read_cassette, write_cassette

INTERACTION = Interaction(Request("POST", "https://api.openai.com/v1/chat/completions", {}, b"{}"), 200, (), (b"{}",))
DATA = b"0123456789\n" * 30_000
"""More than a pipe holds."""


class Reader(threading.Thread):
    """Reads a FIFO to its end."""

    def __init__(self, path: Path) -> None:
        super().__init__(daemon=True)
        self.path, self.data = path, b""
        self.start()

    def run(self) -> None:
        self.data = self.path.read_bytes()

    def read(self) -> bytes:
        self.join(60)
        return self.data


@pytest.fixture
def fifo(tmp_path: Path) -> Path:
    path = tmp_path / "pipe.json"
    os.mkfifo(path)
    return path


def names(folder: Path) -> list[str]:
    return sorted(item.name for item in folder.iterdir())


# --- through ---------------------------------------------------------------------------------------------------------


def test_a_fifo_is_written_through(fifo: Path) -> None:
    assert unwritable(fifo) == ""
    for _ in range(2):
        reader = Reader(fifo)
        write_whole(fifo, DATA)
        assert reader.read() == DATA
    assert stat.S_ISFIFO(fifo.lstat().st_mode)
    assert names(fifo.parent) == ["pipe.json"]


def test_a_fifo_that_nobody_reads_is_told(fifo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(through, "READER_SECONDS", 0.1)
    with pytest.raises(OSError, match=r"nobody has read it for 0\.1 s"):
        write_whole(fifo, DATA)
    end = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)  # opens it, and reads nothing
    try:
        with pytest.raises(OSError, match=r"nobody has read it for 0\.1 s"):
            write_whole(fifo, DATA)
    finally:
        os.close(end)


def test_a_reader_that_goes_away_is_told(fifo: Path) -> None:
    def read_some() -> None:
        with fifo.open("rb") as file:
            file.read(10)

    reader = threading.Thread(target=read_some)
    reader.start()
    with pytest.raises(BrokenPipeError):
        write_whole(fifo, DATA)
    reader.join(60)


def test_links_stay_links(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    real, link, link_to_link = tmp_path / "there" / "real.json", tmp_path / "link.json", tmp_path / "again.json"
    link.symlink_to(Path("there") / "real.json")
    link_to_link.symlink_to(link)
    for path in (link, link_to_link):  # the first time, nothing is there yet
        assert unwritable(path) == ""
        write_whole(path, path.name.encode())
        assert real.read_bytes() == path.name.encode()
    assert link.is_symlink() and link_to_link.is_symlink()
    assert names(tmp_path / "there") == ["real.json"]
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    assert unwritable(loop) == os.strerror(errno.ELOOP)
    with pytest.raises(OSError, match="symbolic links"):
        write_whole(loop, b"")
    assert loop.is_symlink()


def test_devices_stay_devices(tmp_path: Path) -> None:
    """As root, a file could take their place."""
    link = tmp_path / "nothing.json"
    link.symlink_to("/dev/null")
    for path in (Path("/dev/null"), link):
        before = path.stat()
        write_whole(path, DATA)
        assert stat.S_ISCHR(path.stat().st_mode)
        assert os.path.samestat(before, path.stat())
    with pytest.raises(OSError, match="No space left"):
        write_whole(Path("/dev/full"), DATA)
    ours, theirs = pty.openpty()
    write_whole(Path(os.ttyname(theirs)), b"seen")
    assert os.read(ours, 10) == b"seen"
    os.close(ours)
    os.close(theirs)


def test_what_takes_no_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
        for name in ("folder", "socket", "file/below"):
            (tmp_path / "file").touch()
            with pytest.raises(OSError):
                write_whole(tmp_path / name, DATA)
        assert stat.S_ISSOCK((tmp_path / "socket").stat().st_mode)
    assert unwritable(tmp_path / "folder") == "Is a directory"
    assert unwritable(tmp_path / "file" / "below") == "Not a directory"
    assert unwritable(tmp_path / "new" / "below") == ""


PRINTS = """
import sys
from pathlib import Path
from conformance.files.whole import write_whole
print("before")
write_whole(Path(sys.argv[1]), b"written\\n" * 20_000)
print("after")
"""


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
@pytest.mark.parametrize("into", ["file", "pipe"])
def test_what_is_written_to_the_own_output_stands_in_its_place(tmp_path: Path, name: str, into: str) -> None:
    command = [sys.executable, "-c", PRINTS, name]
    if into == "pipe":
        text = subprocess.run(command, capture_output=True, check=True, timeout=60).stdout
    else:
        with (tmp_path / "log").open("wb") as log:
            subprocess.run(command, stdout=log, check=True, timeout=60)
        text = (tmp_path / "log").read_bytes()
    assert text == b"before\n" + b"written\n" * 20_000 + b"after\n"


# --- regular files ---------------------------------------------------------------------------------------------------


def test_permissions_stay_as_they_were(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    write_whole(path, b"1")
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~umask
    path.chmod(0o640)
    write_whole(path, b"2")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    if os.geteuid() == 0:
        os.chown(path, 12, 34)
        write_whole(path, b"3")
        assert (path.stat().st_uid, path.stat().st_gid) == (12, 34)


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only for root")
def test_what_is_read_only_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "a.json").touch(0o400)
    assert unwritable(tmp_path / "a.json") == "Permission denied"
    with pytest.raises(PermissionError):
        write_whole(tmp_path / "a.json", DATA)
    (tmp_path / "locked").mkdir(0o500)
    assert unwritable(tmp_path / "locked" / "a.json") == "Permission denied"


def test_the_longest_names_can_be_written(tmp_path: Path) -> None:
    for name in ("a" * 255, "ä" * 127):
        write_whole(tmp_path / name, b"1")
        assert (tmp_path / name).read_bytes() == b"1"


def test_a_sweeper_and_a_writer_are_never_in_each_others_way(tmp_path: Path) -> None:
    """A new file that is not locked yet looks like a leftover."""
    path = tmp_path / "a.json"

    def write(number: int) -> None:
        for _ in range(20):
            write_whole(path, b"%d" % number * 1000)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert names(tmp_path) == ["a.json"]
    assert len(path.read_bytes()) == 1000


def test_a_lock_is_had_by_one_at_a_time(tmp_path: Path) -> None:
    inside, most = 0, 0

    def work() -> None:
        nonlocal inside, most
        for _ in range(20):
            with FileLock(tmp_path / "lock"):
                inside += 1
                most = max(most, inside)
                inside -= 1

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert most == 1
    assert names(tmp_path) == []


# --- who writes ------------------------------------------------------------------------------------------------------

SMALL = ["run", "--provider", "ollama", "--scenario", "shell.success", "--delivery", "blocking", "-j", "1"]


@pytest.mark.slow
def test_out_may_be_a_fifo(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    begins = {"json": b"{", "jsonl": b'{"type": "run"', "md": b"#", "xml": b"<?xml"}
    paths = [tmp_path / f"pipe.{suffix}" for suffix in begins]
    for path in paths:
        os.mkfifo(path)
    readers = [Reader(path) for path in paths]
    assert main([*SMALL, *(word for path in paths for word in ("--out", str(path)))]) == 0
    for path, reader in zip(paths, readers, strict=True):
        assert reader.read().startswith(begins[path.suffix[1:]])
        assert stat.S_ISFIFO(path.lstat().st_mode)


@pytest.mark.slow
def test_out_may_be_a_device_or_the_own_output() -> None:
    command = [sys.executable, "-m", "conformance", *SMALL]
    done = subprocess.run(
        [*command, "--out", "/dev/null", "--format", "json"], capture_output=True, timeout=120, check=True
    )
    assert done.stdout == b""
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    done = subprocess.run(
        [*command, "--out", "/dev/stdout", "--format", "jsonl"], capture_output=True, timeout=120, check=True
    )
    assert done.stdout.startswith(b'{"type": "run"')


@pytest.mark.parametrize("words", [
    ["run"], ["serve"], ["selftest"], ["coverage"], ["coverage", "--forms"], ["selftest", "--kills"],
])  # fmt: skip
def test_where_nothing_can_be_written_is_told_before_the_work(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    option = words[1] if words[1:] else "--out"
    (tmp_path / "a.json").mkdir()
    (tmp_path / "file").touch()
    for name, why in (("a.json", "Is a directory"), ("file/b.json", "Not a directory")):
        assert main([words[0], option, str(tmp_path / name)]) == 2
        told = capsys.readouterr().err
        assert f"{option} {tmp_path / name}: {why}" in told
        assert told.count("\n") == 1


def test_a_recorder_writes_through(tmp_path: Path, fifo: Path) -> None:
    reader = Reader(fifo)
    recorder = Recorder(fifo)
    recorder.add(INTERACTION)
    copy = tmp_path / "copy.json"
    copy.write_bytes(reader.read())
    assert len(read_cassette(copy).interactions) == 1
    assert names(tmp_path) == ["copy.json", "pipe.json"]
    nothing = tmp_path / "nothing.json"
    nothing.symlink_to("/dev/null")
    Recorder(nothing).add(INTERACTION)
    assert stat.S_ISCHR(nothing.stat().st_mode)


def test_what_is_no_file_is_not_read_as_a_cassette(fifo: Path) -> None:
    with pytest.raises(CassetteError, match=r"pipe\.json: not a regular file"):
        read_cassette(fifo)


def room(folder: Path, size: str) -> Callable[[], None] | None:
    """A small disk on ``folder``, and what takes it away; ``None`` where we may not make one."""
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(folder)], capture_output=True, check=False
    )
    return None if made.returncode else lambda: subprocess.run(["umount", str(folder)], check=True) and None


def test_a_full_disk_leaves_what_was_there(tmp_path: Path) -> None:
    folder = tmp_path / "disk"
    folder.mkdir()
    remove = room(folder, "64k")
    if remove is None:
        pytest.skip("no disk can be made here")
    try:
        path = folder / "a.json"
        write_whole(path, b"1")
        with pytest.raises(OSError, match="No space left"):
            write_whole(path, DATA)
        assert path.read_bytes() == b"1"
        recorder = Recorder(folder / "b.json")
        recorder.add(INTERACTION)
        with pytest.raises(CassetteError, match="cannot be written: No space left"):
            write_cassette(folder / "b.json", Cassette((INTERACTION,) * 1000))
        assert len(read_cassette(folder / "b.json").interactions) == 1
        assert names(folder) == ["a.json", "b.json"]
    finally:
        remove()


def test_whatever_fails_nothing_new_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.json"
    write_whole(path, b"1")

    def fail(*_: object) -> None:
        raise OSError(5, "Input/output error")

    for owner, name in ((os, "fsync"), (Path, "replace"), (whole, "_take_over"), (os, "fstat")):
        with monkeypatch.context() as context:
            context.setattr(owner, name, fail)
            with pytest.raises(OSError, match="Input/output error"):
                write_whole(path, DATA)
        assert (names(tmp_path), path.read_bytes()) == (["a.json"], b"1")
