"""Writing into what is no regular file: FIFOs, devices, and file descriptors of our own."""

from __future__ import annotations

import errno
import os
import re
import select
import stat
import sys
import time
from pathlib import Path

READER_SECONDS = 30.0
"""How long a FIFO may have no reader, and how long a reader may take nothing."""

LOOK_SECONDS = 0.02
"""How often to look whether a FIFO has a reader."""

_OWN = re.compile(r"/dev/std(?P<standard>out|err)|/(?:dev|proc/self)/fd/(?P<number>\d{1,9})")


def is_through(path: Path) -> bool:
    """Whether ``path`` is written through: it is there, and putting a file in its place would not do."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return False
    return _own(path) is not None or not stat.S_ISREG(found.st_mode) or not Path(os.path.realpath(path)).exists()


def write_through(path: Path, data: bytes) -> None:
    """Write ``data`` into what is at ``path``. Raises `OSError`: also for a FIFO that nobody reads."""
    own = _own(path)
    if own is not None:
        sys.stdout.flush()  # what was printed before comes before
        _write(own, data)
        return
    descriptor = _opened(path)
    try:
        _write(descriptor, data)
    finally:
        os.close(descriptor)


def _own(path: Path) -> int | None:
    """The number of our own file descriptor that a path names. A file behind it goes on where it stands."""
    found = _OWN.fullmatch(str(path))
    if found is None:
        return None
    return {"out": 1, "err": 2}[found["standard"]] if found["standard"] else int(found["number"])


def _opened(path: Path) -> int:
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode) or stat.S_ISBLK(mode):
        number = errno.EISDIR if stat.S_ISDIR(mode) else errno.EINVAL
        raise OSError(number, os.strerror(number) if stat.S_ISDIR(mode) else "a disk is no place for a file", str(path))
    until = time.monotonic() + READER_SECONDS
    while True:
        try:
            return os.open(path, os.O_WRONLY | os.O_CLOEXEC | os.O_NOCTTY | os.O_NONBLOCK)
        except OSError as problem:
            if problem.errno != errno.ENXIO or not stat.S_ISFIFO(mode):
                raise
        if time.monotonic() > until:
            raise OSError(errno.ENXIO, f"nobody has read it for {READER_SECONDS:g} s", str(path))
        time.sleep(LOOK_SECONDS)


def _write(descriptor: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        _await_room(descriptor)
        try:
            left = left[os.write(descriptor, left[: select.PIPE_BUF]) :]  # for more, a pipe may make us wait
        except BlockingIOError:
            continue


def _await_room(descriptor: int) -> None:
    poll = select.poll()
    poll.register(descriptor, select.POLLOUT)
    if not poll.poll(READER_SECONDS * 1000):
        raise OSError(errno.ETIMEDOUT, f"nobody has read it for {READER_SECONDS:g} s")
