"""Folders for what a run needs for a while: nothing of them outlives it.

Who made a folder has its lock for as long as it lives. So a folder whose lock is free was left by somebody who was
killed, and whoever sees it removes it.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from conformance.files.locks import held_alone, hold

PREFIX = "conformance-"
LOCK = ".lock"
"""The name of the lock in a folder."""


@contextlib.contextmanager
def folder_for_a_while() -> Iterator[Path]:
    """A new folder for a part of a run, which is removed, whatever is in it. What is left of it, `scratch` removes."""
    folder = _unused()
    try:
        folder.mkdir(mode=stat.S_IRWXU)
        yield folder
    finally:
        surely(remove_tree, folder)


@contextlib.contextmanager
def scratch() -> Iterator[Path]:
    """A new folder, for as long as the block lasts. What others left is removed."""
    for left in Path(tempfile.gettempdir()).glob(f"{PREFIX}*/{LOCK}"):
        sweep(left.parent)
    with contextlib.ExitStack() as made:
        yield _made(made)


def surely(work: Callable[[Path], None], folder: Path) -> None:
    """Do something to a folder, and again if a signal broke it off: signals raise once."""
    try:
        work(folder)
    except BaseException:
        work(folder)
        raise


def remove_tree(folder: Path) -> None:
    """Remove a folder with all that is in it, as far as we may.

    However deep it is: what is deeper than the first folder is moved there before it is looked at, so no path becomes
    longer than the system takes, and nothing here calls itself.
    """
    waiting = [folder]
    while waiting:
        inner = waiting.pop()
        for entry in _entries(inner):
            if not entry.is_dir(follow_symlinks=False):
                _quietly(os.unlink, entry.path)
                continue
            moved = folder / f".{secrets.token_hex(8)}.removed"
            _quietly(os.chmod, entry.path, stat.S_IRWXU)
            waiting.append(moved if _quietly(os.rename, entry.path, moved) else Path(entry.path))
        if inner != folder:
            _quietly(os.rmdir, inner)
    _quietly(os.rmdir, folder)


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    _quietly(os.chmod, folder, stat.S_IRWXU)
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        return list(entries)
    return []


def _quietly(work: Callable[..., object], *words: object) -> bool:
    """Do something that may not work. Says whether it did."""
    try:
        work(*words)
    except OSError:
        return False
    return True


def _unused() -> Path:
    """A path where no folder is yet. It is known before the folder is made, so a signal in between leaves nothing."""
    return Path(tempfile.gettempdir(), f"{PREFIX}{secrets.token_hex(8)}")


def _made(made: contextlib.ExitStack) -> Path:
    """A new folder, with its lock. Somebody may take it for a leftover before it is locked: then another."""
    while True:
        folder = _unused()
        made.callback(surely, remove_tree, folder)
        folder.mkdir(mode=stat.S_IRWXU)
        with contextlib.suppress(FileNotFoundError):
            lock = made.enter_context((folder / LOCK).open("wb"))
            hold(lock.fileno())
            if os.fstat(lock.fileno()).st_nlink:
                return folder


def sweep(folder: Path | str) -> None:
    """Remove a folder whose owner has ended, if it is ours."""
    with contextlib.suppress(OSError):
        descriptor = os.open(Path(folder, LOCK), os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
        try:
            if os.fstat(descriptor).st_uid == os.geteuid() and held_alone(descriptor):
                remove_tree(Path(folder))
        finally:
            os.close(descriptor)
