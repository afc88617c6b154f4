"""Making an environment, once."""

from __future__ import annotations

import datetime
import difflib
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from conformance.adapters.contract import AdapterError
from conformance.adapters.libraries import Library
from conformance.environments.finding import environments_of, library_of, requirements_of, version_order
from conformance.environments.kinds import kind
from conformance.environments.places import InstalledEnvironment, mark, new_folder, remove, root


def make(
    name: str, version: str | None, date: str | None, *, at: Path | None = None, say: Callable[[str], None]
) -> InstalledEnvironment:
    """The environment of the library ``name`` at ``version``, made unless it is there already.

    Without a version it is the newest that can be installed. ``date`` (ISO 8601) leaves out everything that was
    uploaded later; by default an old version gets what there was on the day after it came out. ``say`` is told what
    takes long. Raises `AdapterError`.
    """
    library = library_of(name)
    at = at or root()
    there = _there(library, version, date, at)
    if there is not None:
        return there
    if version is not None:
        date = date or _default_date(library, version, say)
    say(" ".join(filter(None, ("making an environment with", library.distribution, version, date and f"as of {date}"))))
    made = _built(library, version, date, at)
    twin = next((other for other in environments_of(library, at) if _same(other, made)), None)
    if twin is not None:  # somebody else was faster, or the newest is the one that was there
        shutil.rmtree(made.folder, ignore_errors=True)
        return twin
    mark(made)
    return made


def _there(library: Library, version: str | None, date: str | None, at: Path) -> InstalledEnvironment | None:
    """The environment, if it is there and whole. A broken one, and one of another date, is removed."""
    for found in environments_of(library, at) if version is not None else ():
        if found.version != version:
            continue
        if kind(library.kind).whole(found.folder) and date in (None, found.date):
            return found
        remove(found)
    return None


def _same(one: InstalledEnvironment, other: InstalledEnvironment) -> bool:
    return (one.version, one.date) == (other.version, other.date)


def _built(library: Library, version: str | None, date: str | None, at: Path) -> InstalledEnvironment:
    folder = new_folder(at, library.distribution)
    requirements = requirements_of(library)
    try:
        got = kind(library.kind).build(folder, requirements, version, date)
    except AdapterError as problem:
        shutil.rmtree(folder, ignore_errors=True)
        raise AdapterError(f"{library.distribution}{f' {version}' if version else ''}: {problem}") from None
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    made = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    return InstalledEnvironment(
        library.distribution, got, requirements, kind(library.kind).runtime(), date, made, folder
    )


def _default_date(library: Library, version: str, say: Callable[[str], None]) -> str | None:
    releases = kind(library.kind).releases(library.distribution)
    if releases is None:
        say(f"the package index does not say when {library.distribution} {version} came out: the rest will be new")
        return None
    if version not in releases:
        raise AdapterError(f"there is no {library.distribution} {version}{_nearest(version, releases)}")
    if version == max(releases, key=version_order):
        return None
    return _day_after(releases[version])


def _day_after(time: str) -> str:
    uploaded = datetime.datetime.fromisoformat(time)
    return (uploaded + datetime.timedelta(days=1)).date().isoformat()


def _nearest(version: str, releases: Mapping[str, str]) -> str:
    close = difflib.get_close_matches(version, releases, n=3)
    return f"; near it are {', '.join(close)}" if close else ""
