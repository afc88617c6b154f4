"""The bundle: all of ours that an environment of its own ever sees.

It is one folder with copies of the modules below, which need nothing but the standard library; a shim also imports its
library, and `conformance.adapters.transports` the HTTP library that is there. The folder is put on the child's path.
Nothing is installed, so nothing of ours can take the place of a library's own versions.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import conformance
from conformance.adapters.contract import AdapterError
from conformance.environments.places import root

MODULES = (
    "__init__.py", "version.py", "model.py", "http/*.py", "capabilities.py", "obstacles.py", "outcomes.py", "script.py",
    "wording.py", "hints.py",
    "wires/**/*.py", "wires/hosts/*.toml",
    "adapters/__init__.py", "adapters/addresses.py", "adapters/beside.py", "adapters/bound.py", "adapters/contract.py",
    "adapters/endpoint.py", "adapters/functions.py", "adapters/given.py", "adapters/listening.py",
    "adapters/loopback.py", "adapters/nearby.py", "adapters/network.py", "adapters/obstructed.py",
    "adapters/paths.py", "adapters/problems.py", "adapters/served.py", "adapters/transports.py",
    "adapters/capture/*.py", "adapters/inventory/*.py",
    "adapters/stdio/__init__.py", "adapters/stdio/channel.py", "adapters/stdio/conversations.py",
    "adapters/stdio/lines.py", "adapters/stdio/mishaps.py", "adapters/stdio/opaque.py", "adapters/stdio/remote.py",
    "adapters/stdio/serve.py", "adapters/stdio/text.py", "adapters/stdio/writing.py", "adapters/telling.py",
    "adapters/libraries/*.py",
)  # fmt: skip
"""The contract and the neutral model, the wires, the serving part, and the shims: globs, from the package's folder."""

KEPT_SECONDS = 30 * 86_400.0
"""How long a bundle is kept that nobody used."""


def sources() -> Iterator[tuple[str, Path]]:
    """The files of the bundle, by their paths in it, in their order."""
    package = Path(conformance.__file__).parent
    for pattern in MODULES:
        for path in sorted(package.glob(pattern)):
            yield f"{package.name}/{path.relative_to(package).as_posix()}", path


def folder(at: Path | None = None) -> Path:
    """The folder to put on a path: made once, and named by what is in it. ``at`` is where bundles are kept.

    Raises `AdapterError` when it cannot be made.
    """
    files = [(name, path.read_bytes()) for name, path in sources()]
    mark = hashlib.sha256(b"".join(b"%s\0%d\0%s" % (name.encode(), len(data), data) for name, data in files))
    at = at or root() / ".bundles"
    wanted = at / mark.hexdigest()[:16]
    try:
        if wanted.is_dir():
            os.utime(wanted)
        else:
            at.mkdir(parents=True, exist_ok=True)
            _sweep(at)
            _make(wanted, files)
    except OSError as problem:
        raise AdapterError(f"cannot keep what an environment needs of ours in {at}: {problem.strerror}") from None
    return wanted


def _make(wanted: Path, files: Sequence[tuple[str, bytes]]) -> None:
    """Make the folder whole or not at all."""
    half = Path(tempfile.mkdtemp(prefix="half-", dir=wanted.parent))
    try:
        for name, data in files:
            (half / name).parent.mkdir(parents=True, exist_ok=True)
            (half / name).write_bytes(data)
        half.rename(wanted)
    except OSError:
        if not wanted.is_dir():  # else somebody else was faster
            raise
    finally:
        shutil.rmtree(half, ignore_errors=True)


def _sweep(at: Path) -> None:
    """Remove what nobody used for long."""
    for old in at.iterdir():
        with suppress(FileNotFoundError):  # somebody else has just finished it, or swept it
            if time.time() - old.stat().st_mtime > KEPT_SECONDS:
                shutil.rmtree(old, ignore_errors=True)
