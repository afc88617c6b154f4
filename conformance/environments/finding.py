"""Finding the environment that an address names."""

from __future__ import annotations

import difflib
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from conformance.adapters.contract import AdapterError
from conformance.adapters.libraries import LIBRARIES, Library, known_way
from conformance.adapters.libraries.ways import split_way, with_way
from conformance.environments.kinds import kind
from conformance.environments.places import InstalledEnvironment, InstallFinding, all_installed, root

PREFIX = "env:"


@dataclass(frozen=True, slots=True)
class Environment:
    """Where an adapter runs. ``python`` starts its worker (``None``: the running one), which loads ``address``."""

    python: Path | None
    address: str
    name: str
    version: str
    folder: Path


def find(address: str) -> Environment:
    """The environment at ``env:NAME@VERSION``; ``env:NAME`` is the newest of those that are there.

    Raises `AdapterError`, which says how to make it, when there is none, or when it is broken.
    """
    name, version = _named(address)
    library = library_of(name)
    fitting = [found for found in environments_of(library) if version in ("", found.version)]
    command = f"`conformance env {name}{f' --version {version}' if version else ''}`"
    if not fitting:
        raise AdapterError(f"{address}: there is no such environment: run {command} first")
    newest = max(fitting, key=lambda found: version_order(found.version))
    kept = kind(library.kind)
    if not kept.whole(newest.folder):
        raise AdapterError(f"{address}: the environment in {newest.folder} is broken: run {command} again")
    inner = kept.inner(name, newest.folder, known_way(address))
    return Environment(kept.python(newest.folder), inner, name, newest.version, newest.folder)


def with_version(address: str, version: str) -> str:
    """An address that still leads to this version when a newer one is there: ``env:NAME@VERSION``."""
    base, way = split_way(address)
    named = f"{base}@{version}" if base.startswith(PREFIX) and "@" not in base and version else base
    return with_way(named, way)


def _named(address: str) -> tuple[str, str]:
    """The name and the version in an address; an empty version where it has none."""
    name, _, version = split_way(address)[0].removeprefix(PREFIX).partition("@")
    return name, version


def library_of(name: str) -> Library:
    """The library called ``name``. Raises `AdapterError` when there is no shim of that name."""
    if name in LIBRARIES:
        return LIBRARIES[name]
    close = difflib.get_close_matches(name, LIBRARIES, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(LIBRARIES)}"
    raise AdapterError(f"unknown library {name!r}; {hint}")


def requirements_of(library: Library, *, mended: bool = False) -> tuple[str, ...]:
    """What to install, without versions: all that any shim of the same distribution needs. The library comes first.

    ``mended`` is with all that a release may need beside what it documents.
    """
    same = [other for other in LIBRARIES.values() if (other.distribution, other.kind) == _identity(library)]
    wanted = [(other, set(other.mends) if mended else set()) for other in same]
    extras = {extra for other, mends in wanted for extra in (*other.extras, *(mends - set(other.pins)))}
    needs = sorted({need for other, mends in wanted for need in (*other.needs, *(mends & set(other.pins)))})
    return (with_extras(library.distribution, extras), *needs)


def with_extras(distribution: str, extras: Collection[str]) -> str:
    """A requirement without version: ``litellm[mcp]``."""
    return distribution + (f"[{','.join(sorted(extras))}]" if extras else "")


def environments_of(library: Library, at: Path | None = None) -> list[InstalledEnvironment]:
    """The environments of a library that were made with the running Python and hold what its shims need now."""
    wanted = _requirements(library)
    here = kind(library.kind).runtime()
    return [
        found
        for found in all_installed(at or root())
        if (found.distribution, found.runtime) == (library.distribution, here) and found.requirements in wanted
    ]


def addresses_of(found: InstalledEnvironment) -> list[str]:
    """The addresses that lead to an environment. An environment that was made for other needs has none."""
    return [
        f"{PREFIX}{name}@{found.version}"
        for name, library in LIBRARIES.items()
        if library.distribution == found.distribution and found.requirements in _requirements(library)
    ]


def _requirements(library: Library) -> tuple[tuple[str, ...], ...]:
    """What environments of a library may have been made with: what it documents, or before that was tried, all."""
    return requirements_of(library), requirements_of(library, mended=True)


def installs_of(address: str) -> tuple[InstallFinding, ...] | None:
    """What was found when the environment at an address was tried; ``None`` where none was tried, or there is none."""
    if not address.startswith(PREFIX):
        return None
    name, version = _named(address)
    try:
        fitting = [found for found in environments_of(library_of(name)) if version in ("", found.version)]
    except AdapterError:
        return None
    newest = max(fitting, key=lambda found: version_order(found.version), default=None)
    return newest.findings if newest is not None and newest.tried else None


def version_order(version: str) -> list[tuple[int, str]]:
    """A key that puts versions in their order, as far as numbers tell."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in version.replace("-", ".").split(".")]


def _identity(library: Library) -> tuple[str, str]:
    return library.distribution, library.kind
