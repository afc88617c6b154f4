"""Finding the environment that an address names."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from pathlib import Path

from conformance.adapters.contract import AdapterError
from conformance.adapters.libraries import LIBRARIES, Library
from conformance.environments.kinds import kind
from conformance.environments.places import InstalledEnvironment, all_installed, root

PREFIX = "env:"


@dataclass(frozen=True, slots=True)
class Environment:
    """Where an adapter runs. ``python`` starts its worker (``None``: the running one), which loads ``address``."""

    python: Path | None
    address: str
    name: str
    version: str


def find(address: str) -> Environment:
    """The environment at ``env:NAME@VERSION``; ``env:NAME`` is the newest of those that are there.

    Raises `AdapterError`, which says how to make it, when there is none, or when it is broken.
    """
    name, _, version = address.removeprefix(PREFIX).partition("@")
    library = library_of(name)
    fitting = [found for found in environments_of(library) if version in ("", found.version)]
    command = f"`conformance env {name}{f' --version {version}' if version else ''}`"
    if not fitting:
        raise AdapterError(f"{address}: there is no such environment: run {command} first")
    newest = max(fitting, key=lambda found: version_order(found.version))
    kept = kind(library.kind)
    if not kept.whole(newest.folder):
        raise AdapterError(f"{address}: the environment in {newest.folder} is broken: run {command} again")
    return Environment(kept.python(newest.folder), kept.inner(name, newest.folder), name, newest.version)


def library_of(name: str) -> Library:
    """The library called ``name``. Raises `AdapterError` when there is no shim of that name."""
    if name in LIBRARIES:
        return LIBRARIES[name]
    close = difflib.get_close_matches(name, LIBRARIES, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(LIBRARIES)}"
    raise AdapterError(f"unknown library {name!r}; {hint}")


def requirements_of(library: Library) -> tuple[str, ...]:
    """What to install, without versions: all that any shim of the same distribution needs. The library comes first."""
    same = [other for other in LIBRARIES.values() if (other.distribution, other.kind) == _identity(library)]
    extras = sorted({extra for other in same for extra in other.extras})
    needs = sorted({need for other in same for need in other.needs})
    return (library.distribution + (f"[{','.join(extras)}]" if extras else ""), *needs)


def environments_of(library: Library, at: Path | None = None) -> list[InstalledEnvironment]:
    """The environments of a library that were made with the running Python and hold what its shims need now."""
    wanted = requirements_of(library)
    here = kind(library.kind).runtime()
    return [
        found
        for found in all_installed(at or root())
        if (found.distribution, found.requirements, found.runtime) == (library.distribution, wanted, here)
    ]


def addresses_of(found: InstalledEnvironment) -> list[str]:
    """The addresses that lead to an environment. An environment that was made for other needs has none."""
    return [
        f"{PREFIX}{name}@{found.version}"
        for name, library in LIBRARIES.items()
        if library.distribution == found.distribution and requirements_of(library) == found.requirements
    ]


def version_order(version: str) -> list[tuple[int, str]]:
    """A key that puts versions in their order, as far as numbers tell."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in version.replace("-", ".").split(".")]


def _identity(library: Library) -> tuple[str, str]:
    return library.distribution, library.kind
