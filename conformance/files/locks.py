"""A lock that one process has at a time, however it ends."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import IO

LONGEST_PAUSE = 0.05
"""How many seconds at most pass until a lock that is held is tried again."""


class LockedError(OSError):
    """Somebody else held the lock for all the time that we would wait."""


class FileLock:
    """The lock that stands for the file at ``path``, which is made, and removed by whoever had it last.

    ``seconds`` is how long it is waited for; ``None``: for ever. Raises `OSError`.
    """

    def __init__(self, path: Path, seconds: float | None = None) -> None:
        self.path = path
        self._seconds = seconds
        self._file: IO[bytes] | None = None

    def __enter__(self) -> FileLock:
        until = None if self._seconds is None else time.monotonic() + self._seconds
        self.path.parent.mkdir(parents=True, exist_ok=True)
        for pause in _pauses():
            if self.attempt():
                return self
            if until is not None and time.monotonic() + pause > until:
                raise LockedError(errno.EBUSY, f"another process has been writing it for {self._seconds:g} s")
            time.sleep(pause)
        raise AssertionError("pauses never end")

    def attempt(self) -> bool:
        """Take the lock if nobody has it.

        Who had it before may have removed the file while we opened it: then what we lock is not what others find.
        """
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
        file = os.fdopen(descriptor, "wb", buffering=0)
        try:
            if held_alone(descriptor) and _is_at(self.path, descriptor):
                self._file = file
                return True
        finally:
            if self._file is None:
                file.close()
        return False

    def release(self) -> None:
        """Let others have it."""
        if self._file is not None:
            with contextlib.suppress(OSError):
                self.path.unlink()
            self._file.close()
            self._file = None

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def held_alone(descriptor: int) -> bool:
    """Lock an open file for us alone. Says whether nobody else has it; the kernel takes it back when we end."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def hold(descriptor: int) -> None:
    """Lock an open file, as soon as nobody else has it. Where the file system has no locks, nothing happens."""
    with contextlib.suppress(OSError):
        fcntl.flock(descriptor, fcntl.LOCK_EX)


def _is_at(path: Path, descriptor: int) -> bool:
    with contextlib.suppress(FileNotFoundError):
        return os.path.samestat(path.lstat(), os.fstat(descriptor))
    return False


def _pauses() -> Iterator[float]:
    pause = 0.001
    while True:
        yield pause
        pause = min(2 * pause, LONGEST_PAUSE)
