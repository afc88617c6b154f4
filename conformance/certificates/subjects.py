"""Who a certificate is about: what is installed beside it, and the same made again from name, version and lock file.

Only libraries that this package has a shim for are installed again, and the reference adapters are here. An address in
an archive is never run: it may be any command.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.metadata import distributions
from pathlib import Path

from conformance.adapters.contract import AdapterError
from conformance.adapters.libraries import LIBRARIES
from conformance.adapters.libraries.ways import split_way, with_way
from conformance.documents import Document
from conformance.environments.finding import PREFIX, find, library_of, requirements_of
from conformance.environments.kinds import kind
from conformance.environments.places import ROOT_VARIABLE, InstalledEnvironment, mark, new_folder
from conformance.environments.virtual import PythonKind, normalized
from conformance.files.scratch import scratch
from conformance.report.script.failing import variables

REFERENCE = "reference"
LOCKED = re.compile(r"[a-z0-9][a-z0-9._-]*==[A-Za-z0-9][A-Za-z0-9.!+_-]*")
"""A line of a lock file: no options, no addresses, no paths."""
VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9.!+_-]{0,60}")


class CannotPlayError(ValueError):
    """Why a subject cannot be played again, in one line."""


def library_at(address: str) -> str:
    """The name of the library at an address; empty where it is none of ours."""
    name = split_way(address)[0].removeprefix(PREFIX).partition("@")[0]
    return name if name in LIBRARIES else ""


def packages_of(address: str) -> Mapping[str, str]:
    """All that is installed where an adapter runs, by name. Raises `AdapterError`."""
    if address.startswith(PREFIX):
        return kind(library_of(library_at(address)).kind).installed(find(split_way(address)[0]).folder)
    found: dict[str, str] = {}
    for one in distributions():
        found.setdefault(normalized(one.metadata["Name"]), one.version)
    return dict(sorted(found.items()))


def lock_text(packages: Mapping[str, str]) -> str:
    """A lock file, as ``pip freeze`` writes it."""
    return "".join(f"{name}=={version}\n" for name, version in packages.items())


@contextmanager
def played_again(subject: Document, lock: bytes, adapter: str | None) -> Iterator[str]:
    """The address at which the subject is, made again for as long as the block lasts. Raises `CannotPlayError`.

    ``adapter`` is where the user says that it is.
    """
    name = library_at(subject["address"])
    if adapter is not None:
        yield adapter
    elif subject["address"] == REFERENCE:
        yield REFERENCE
    elif not name:
        raise CannotPlayError(f"{subject['name']} is no library of ours: say with --adapter where it is")
    else:
        with scratch() as folder, variables({ROOT_VARIABLE: str(folder / "envs")}):
            made = _made_again(name, subject["version"], lock, folder)
            yield with_way(f"{PREFIX}{name}@{made}", split_way(subject["address"])[1])


def _made_again(name: str, version: str, lock: bytes, folder: Path) -> str:
    """Make the environment of a library from a lock file. Gives its version."""
    library = library_of(name)
    if library.kind != "python":
        raise CannotPlayError(f"environments of kind {library.kind} are not made again from a lock file")
    if not VERSION.fullmatch(version):
        raise CannotPlayError("the version of the subject is none")
    file = folder / "lock.txt"
    file.write_text("".join(f"{line}\n" for line in _checked(lock)), "ascii")
    requirements = requirements_of(library)
    try:
        at = new_folder(folder / "envs", library.distribution)
        got = PythonKind().build_locked(at, requirements, version, file)
    except AdapterError as problem:
        raise CannotPlayError(f"{library.distribution} {version} cannot be installed again: {problem}") from None
    now = datetime.now(UTC).isoformat(timespec="seconds")
    mark(InstalledEnvironment(library.distribution, got, requirements, PythonKind().runtime(), None, now, at))
    return got


def _checked(lock: bytes) -> list[str]:
    lines = lock.decode("ascii", "replace").splitlines()
    wrong = next((line for line in lines if not LOCKED.fullmatch(line)), None)
    if wrong is not None:
        raise CannotPlayError(f"a line of its lock file is none: {ascii(wrong)[:80]}")
    return lines


def playback_address(transcript: Path) -> str:
    """The address of the adapter that a transcript is."""
    import shlex

    return "stdio:" + shlex.join([sys.executable, "-m", "conformance.certificates.playback", str(transcript)])
