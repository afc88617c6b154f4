"""What is made of files of ours, kept in the user's cache, so that it is made once and not at each start.

It is made again when a file has another size or time than it had, as Python does with what it compiled, and by another
version of the suite, whose files may have been given the same times. It is JSON,
which does nothing when it is read, and counts only where nobody else has written it. Where no cache can be, all works
as well, only slower.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from conformance.version import VERSION

ABANDONED_SECONDS = 30 * 86_400.0
"""After which time what is kept is removed. What is still in use is made once more."""


def made_once(name: str, files: Iterable[Path], make: Callable[[], Any]) -> Any:
    """What ``make`` makes of ``files``, as JSON data: what is kept, unless a file has changed since.

    Raises what ``make`` raises, and `OSError` for a file that is not there.
    """
    files = list(files)
    sign, file = _sign_of(files), f"{name}-{_digest(str(files[0]))}.json"
    with contextlib.suppress(OSError, RuntimeError, ValueError):
        known, _, text = _own_bytes(folder() / file).partition(b"\n")
        if known == sign.encode():
            return json.loads(text)
    made = make()
    with contextlib.suppress(OSError, RuntimeError):
        _keep(folder() / file, f"{sign}\n{json.dumps(made, separators=(',', ':'))}".encode())
    return made


def folder() -> Path:
    """Where it is kept: ``conformance/packed`` in the user's cache. Raises `RuntimeError` for a user without a home."""
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "conformance" / "packed"


def _sign_of(files: Iterable[Path]) -> str:
    """What changes when one of the files does."""
    stats = ((path, os.stat(path)) for path in files)  # noqa: PTH116 - of a thousand files
    return _digest("\n".join([VERSION, *(f"{path} {stat.st_size} {stat.st_mtime_ns}" for path, stat in stats)]))


def _digest(text: str) -> str:
    return importlib.util.source_hash(text.encode("utf-8", "surrogateescape")).hex()


def _own_bytes(path: Path) -> bytes:
    """What is in a file that we wrote. Raises `OSError`, also for one of somebody else."""
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_uid != os.geteuid():
            raise PermissionError
        return file.read()


def _keep(path: Path, data: bytes) -> None:
    """Write a file under its name when it is whole, and remove what was abandoned beside it."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    beside = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        beside.write_bytes(data)
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    for other in path.parent.iterdir():
        if time.time() - other.stat().st_mtime > ABANDONED_SECONDS:
            other.unlink(missing_ok=True)
