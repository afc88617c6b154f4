"""Writing a file so that it is there whole, or as it was before.

What is no regular file is written through: a FIFO gets the bytes, a device stays a device, and a link stays a link to
the file that is written.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Callable, Iterable
from pathlib import Path

from conformance.files.leftovers import sweep_beside, unfinished
from conformance.files.locks import hold
from conformance.files.through import is_through, write_through
from conformance.masking.door import own_mask


def write_text(path: Path, text: str) -> None:
    """Write ``text`` to ``path`` as `write_whole` does, if no key of the environment stands in it.

    Raises `OSError`, and `conformance.masking.door.SecretRemainsError`; then nothing is written.
    """
    write_whole(path, own_mask().checked(text).encode())


def write_pieces(path: Path, pieces: Callable[[], Iterable[str]]) -> None:
    """`write_text` of a text that is made piece by piece, so that it is never in memory as a whole.

    ``pieces`` may be asked twice. A key that stands in two pieces is not seen: no piece ends within a value.
    """
    _write(path, lambda: (own_mask().checked(piece).encode() for piece in pieces()))


def write_whole(path: Path, data: bytes) -> None:
    """Write ``data``, which was looked through for secrets, to ``path``, whose folder is made if need be.

    The bytes go to a file beside it, onto the disk, and then under the name: whatever breaks this off, a reader finds
    the old content or the new one, and the next writer removes what a killed one left. Raises `OSError`; then nothing
    new is left behind.
    """
    _write(path, lambda: (data,))


def _write(path: Path, pieces: Callable[[], Iterable[bytes]]) -> None:
    if is_through(path):
        write_through(path, b"".join(pieces()))
        return
    path = Path(os.path.realpath(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    sweep_beside(path)
    earlier = _earlier(path)
    while not _replaced(path, pieces, earlier):
        pass
    _sync_folder(path.parent)


def _replaced(path: Path, pieces: Callable[[], Iterable[bytes]], earlier: os.stat_result | None) -> bool:
    """Put a new file in the place of ``path``, unless a sweeper that was faster than our lock has removed it."""
    beside = unfinished(path)
    try:
        with beside.open("xb") as file:
            hold(file.fileno())
            if not os.fstat(file.fileno()).st_nlink:
                return False
            for piece in pieces():
                file.write(piece)
            file.flush()
            if earlier is not None:
                _take_over(file.fileno(), earlier)
            os.fsync(file.fileno())
            beside.replace(path)  # while we have it locked
    except BaseException:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise
    return True


def _earlier(path: Path) -> os.stat_result | None:
    """The file that is there already. Raises `PermissionError` when it is read-only: that is said of a file, too."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return None
    if not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    return found


def _take_over(descriptor: int, earlier: os.stat_result) -> None:
    """Permissions and owner stay as they were, as far as we may say so."""
    with contextlib.suppress(OSError):
        os.fchown(descriptor, earlier.st_uid, earlier.st_gid)
    with contextlib.suppress(OSError):
        os.fchmod(descriptor, stat.S_IMODE(earlier.st_mode))


def _sync_folder(folder: Path) -> None:
    """Make the new name last too. Not every system lets a folder be opened: there the name is as safe as it gets."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def unwritable(path: Path) -> str:
    """Why ``path`` cannot be written, as far as that shows before; empty where it can. Nothing is made."""
    with contextlib.suppress(OSError):
        if path.is_dir():
            return os.strerror(errno.EISDIR)
        if path.exists():
            alone = is_through(path) or os.access(Path(os.path.realpath(path)).parent, os.W_OK)
            return "" if alone and os.access(path, os.W_OK) else os.strerror(errno.EACCES)
        real = Path(os.path.realpath(path))
        if real.is_symlink():
            return os.strerror(errno.ELOOP)
        folder = _existing(real.parent)
        if not folder.is_dir():
            return os.strerror(errno.ENOTDIR)
        return "" if os.access(folder, os.W_OK) else os.strerror(errno.EACCES)
    return "cannot write there"


def _existing(folder: Path) -> Path:
    return folder if folder.exists() or folder == folder.parent else _existing(folder.parent)
