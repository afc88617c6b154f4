"""One cassette, written by several: a lock around each write, and what others wrote since.

A file is replaced with each write, so it has changed when it is another one than the one that was read or written last.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from conformance.files.leftovers import sweep_beside
from conformance.files.locks import FileLock
from conformance.files.through import is_through
from conformance.recordings.interaction import Interaction
from conformance.recordings.store import SUFFIXES, CassetteError, find_cassette, read_cassette

LOCK_SECONDS = 60.0
"""How long others are waited for. A write takes milliseconds."""

Version = tuple[Path, int, int, int, int]
"""What tells a file from the one that takes its place."""


class SharedCassette:
    """The cassette at ``path``. ``there``: whether it was there when we looked first."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known = self._version()
        self.there = self._known is not None

    def read(self) -> Sequence[Interaction]:
        """What is in it now. Raises `CassetteError`."""
        while True:
            version = self._version()
            found = read_cassette(version[0]).interactions if version else ()
            if version == self._version():  # else it was replaced while we read
                self._known = version
                return found

    def news(self) -> Sequence[Interaction] | None:
        """All that is in it, where somebody else wrote it since. One that was removed is written again."""
        version = self._version()
        return None if version is None or version == self._known else self.read()

    def written(self, path: Path) -> None:
        """It is as we wrote it, to ``path``."""
        self._path = path
        self._known = self._version()

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Nobody else writes it meanwhile. Raises `CassetteError`."""
        real = Path(os.path.realpath(self._path))
        with contextlib.ExitStack() as stack:
            try:
                if not is_through(self._path):
                    stack.enter_context(FileLock(real.with_name(f".{real.stem}.lock"), LOCK_SECONDS))
                    sweep_beside(real, *(real.with_suffix(suffix).name for suffix in SUFFIXES))
            except OSError as problem:
                raise CassetteError(self._path, f"cannot be written: {problem.strerror or problem}") from None
            yield

    def _version(self) -> Version | None:
        path = find_cassette(self._path)
        if path is None:
            return None
        with contextlib.suppress(FileNotFoundError):
            found = path.stat()
            return path, found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size
        return None
