"""Folders for what a run needs for a while: nothing of them outlives it.

Who made a folder has its lock for as long as it lives. So a folder whose lock is free was left by somebody who was
killed, and whoever sees it removes it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from conformance.files.locks import held_alone, hold

PREFIX = "conformance-"
LOCK = ".lock"
"""The name of the lock in a folder."""


@contextlib.contextmanager
def scratch() -> Iterator[Path]:
    """A new folder, for as long as the block lasts. What others left is removed."""
    for left in Path(tempfile.gettempdir()).glob(f"{PREFIX}*/{LOCK}"):
        sweep(left.parent)
    folder, lock = _made()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        lock.close()


def _made() -> tuple[Path, IO[bytes]]:
    """A new folder and its lock. Somebody may take it for a leftover before it is locked: then another."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        with contextlib.suppress(FileNotFoundError):
            lock = (folder / LOCK).open("wb")
            hold(lock.fileno())
            if os.fstat(lock.fileno()).st_nlink:
                return folder, lock
            lock.close()


def sweep(folder: Path | str) -> None:
    """Remove a folder whose owner has ended, if it is ours."""
    with contextlib.suppress(OSError):
        descriptor = os.open(Path(folder, LOCK), os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
        try:
            if os.fstat(descriptor).st_uid == os.geteuid() and held_alone(descriptor):
                shutil.rmtree(folder, ignore_errors=True)
        finally:
            os.close(descriptor)
