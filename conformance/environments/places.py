"""Where environments are kept, and what is known about each.

An environment is a folder under the root. A virtual environment cannot be moved, so it is built where it stays, in a
folder of a name of its own, and counts as there when its marker is: the marker is written last.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from conformance.adapters.contract import AdapterError

MARKER = "environment.json"
ROOT_VARIABLE = "CONFORMANCE_ENVS"
ABANDONED_SECONDS = 3600.0
"""How old a folder without marker is that nobody works on any more."""


@dataclass(frozen=True, slots=True)
class InstallFinding:
    """A library that failed as it is installed. ``asked`` is what was installed, ``mended`` what made it run, if any.

    ``shim`` is the way to call it that showed it, ``error`` the exception, ``program`` shows it to others.
    """

    shim: str
    asked: str
    error: str
    mended: str
    program: str


@dataclass(frozen=True, slots=True)
class InstalledEnvironment:
    """An environment that is there. ``date`` is the day before which everything in it was uploaded, if it is limited.

    ``requirements`` is what was asked for, without versions; ``runtime`` is the language and its version.
    """

    distribution: str
    version: str
    requirements: tuple[str, ...]
    runtime: str
    date: str | None
    made: str
    folder: Path = Path()
    findings: tuple[InstallFinding, ...] = ()
    tried: bool = False
    """Whether a first request was tried with what the library documents."""


def root() -> Path:
    """The folder of all environments: ``CONFORMANCE_ENVS``, else ``conformance/envs`` in the user's cache."""
    chosen = os.environ.get(ROOT_VARIABLE)
    if chosen:
        return Path(chosen).absolute()
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "conformance" / "envs"


def runtime() -> str:
    """The Python that environments are made with, which is the running one."""
    return f"python {sys.version_info.major}.{sys.version_info.minor}"


def all_installed(at: Path) -> Iterator[InstalledEnvironment]:
    """The environments under ``at``, in the order of their names. What has no readable marker is none."""
    for marker in sorted(at.glob(f"*/{MARKER}")):
        try:
            document: Any = json.loads(marker.read_text("utf-8"))
            requirements = tuple(document.pop("requirements"))
            findings = tuple(InstallFinding(**one) for one in document.pop("findings", ()))
            found = InstalledEnvironment(**document, requirements=requirements, findings=findings)
        except (OSError, ValueError, TypeError, LookupError, AttributeError):
            continue
        yield replace(found, folder=marker.parent)


def new_folder(at: Path, distribution: str) -> Path:
    """A folder to build in. Raises `AdapterError` when there can be none."""
    try:
        at.mkdir(parents=True, exist_ok=True)
        name = distribution.replace("/", "-")  # npm has scopes
        _sweep(at, name)
        return Path(tempfile.mkdtemp(prefix=f"{name}-", dir=at))
    except OSError as problem:
        raise AdapterError(f"cannot keep environments in {at}: {problem.strerror}") from None


def _sweep(at: Path, name: str) -> None:
    """Remove what builds that were killed left behind."""
    for folder in at.glob(f"{name}-*"):
        if not (folder / MARKER).exists() and time.time() - folder.stat().st_mtime > ABANDONED_SECONDS:
            shutil.rmtree(folder, ignore_errors=True)


def mark(found: InstalledEnvironment) -> None:
    """Write the marker, whole or not at all."""
    document = {name: value for name, value in asdict(found).items() if name != "folder"}
    half = found.folder / f"{MARKER}.new"
    half.write_text(json.dumps(document, indent=1) + "\n", "utf-8")
    half.replace(found.folder / MARKER)


def remove(found: InstalledEnvironment) -> None:
    """Remove an environment; its marker first, so that it is never there by half."""
    (found.folder / MARKER).unlink(missing_ok=True)
    shutil.rmtree(found.folder, ignore_errors=True)
