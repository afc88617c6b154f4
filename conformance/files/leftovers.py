"""What writers that were killed left behind: recognised, and removed by the next one.

A file is written under a name of its own before it gets its name (`conformance.files.whole`), and its writer has it
locked meanwhile. The lock ends with the writer. So a file with such a name that nobody has locked is a leftover.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path

from conformance.files.locks import FileLock, held_alone

MAX_NAME = 200
"""How many bytes of a file's name stand in the name that it has before."""

_UNFINISHED = re.compile(r"\.(?P<name>.+)\.[0-9a-f]{12}\.tmp", re.DOTALL)
_LOCK = re.compile(r"\..+\.lock", re.DOTALL)


def unfinished(path: Path) -> Path:
    """A new name beside ``path`` for what becomes ``path``."""
    return path.with_name(f".{_kept(path.name)}.{secrets.token_hex(6)}.tmp")


def _kept(name: str) -> str:
    return os.fsdecode(os.fsencode(name)[:MAX_NAME])


def sweep_beside(path: Path, *names: str) -> None:
    """Remove what writers of ``path`` left behind that have ended, and those of other ``names`` in its folder."""
    wanted = {_kept(name) for name in (path.name, *names)}
    for item in _hidden(path.parent):
        found = _UNFINISHED.fullmatch(item.name)
        if found is not None and found["name"] in wanted:
            _remove_abandoned(item)


def sweep_below(folder: Path, suffixes: tuple[str, ...]) -> None:
    """The same for all files below ``folder`` that end in one of ``suffixes``, and for their locks."""
    for parent, _, _ in os.walk(folder):
        for item in _hidden(Path(parent)):
            found = _UNFINISHED.fullmatch(item.name)
            if found is not None and found["name"].endswith(suffixes):
                _remove_abandoned(item)
            elif _LOCK.fullmatch(item.name):
                _remove_lock(item)


def _hidden(folder: Path) -> Iterator[Path]:
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(".") and entry.name.endswith((".tmp", ".lock")):
                yield Path(entry.path)


def _remove_abandoned(path: Path) -> None:
    """Remove a file that nobody has locked."""
    with contextlib.suppress(OSError):
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            if stat.S_ISREG(os.fstat(descriptor).st_mode) and held_alone(descriptor):
                path.unlink()
        finally:
            os.close(descriptor)


def _remove_lock(path: Path) -> None:
    """Remove a lock that nobody has: an empty file."""
    with contextlib.suppress(OSError):
        found = path.lstat()
        if stat.S_ISREG(found.st_mode) and found.st_size == 0:
            lock = FileLock(path)
            if lock.attempt():
                lock.release()
