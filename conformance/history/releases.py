"""The releases of a library: which there are, and which of them are looked at."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from conformance.adapters.contract import AdapterError
from conformance.adapters.libraries import Library
from conformance.environments.finding import version_order
from conformance.environments.kinds import kind
from conformance.hints import nearest

ReleaseStep = Literal["release", "minor", "major", "month", "quarter", "year"]
STEPS: tuple[ReleaseStep, ...] = get_args(ReleaseStep)
PARTS: Mapping[ReleaseStep, int] = {"major": 1, "minor": 2}
"""How many parts of a version a step looks at."""
TIMES: Mapping[ReleaseStep, int] = {"month": 1, "quarter": 3, "year": 12}
"""How many months a step is long."""

FINISHED = re.compile(r"\d+(\.\d+)*(\.post\d+)?")
"""A release that is no preview: neither a pre-release nor one of a developer (PEP 440, and semantic versions)."""


@dataclass(frozen=True, slots=True)
class Release:
    """One release. ``uploaded`` is when it came out (ISO 8601)."""

    version: str
    uploaded: str

    @property
    def day(self) -> str:
        """The day it came out."""
        return self.uploaded[:10]


def releases_of(library: Library) -> list[Release]:
    """All finished releases that users are offered, in the order of their versions.

    Raises `AdapterError` where the package index cannot be asked, or has none.
    """
    told = kind(library.kind).offered(library.distribution)
    if not told:
        raise AdapterError(f"the package index does not say which releases of {library.distribution} there are")
    finished = [Release(version, time) for version, time in told.items() if FINISHED.fullmatch(version)]
    return sorted(finished, key=lambda one: version_order(one.version))


def between(releases: Sequence[Release], first: str | None, last: str | None) -> list[Release]:
    """The releases from one to another, both included. Raises `AdapterError` for one that there is not."""
    names = [one.version for one in releases]
    for version in filter(None, (first, last)):
        if version not in names:
            raise AdapterError(f"there is no release {version}{nearest(version, names)}")
    start = names.index(first) if first else 0
    end = names.index(last) if last else len(names) - 1
    if start > end:
        raise AdapterError(f"{first} comes after {last}")
    return list(releases[start : end + 1])


def stepped(releases: Iterable[Release], step: ReleaseStep) -> list[Release]:
    """Of each version or time of the step, the last release; each release for ``release``.

    Of those of a time that are older than what came out before (of another line of versions) there is none.
    """
    last: dict[object, Release] = {}
    for one in sorted(releases, key=lambda one: version_order(one.version)):
        last[_group(one, step)] = one
    found: list[Release] = []
    for one in sorted(last.values(), key=lambda one: (step in TIMES and one.uploaded, version_order(one.version))):
        if not found or version_order(one.version) > version_order(found[-1].version):
            found.append(one)
    return found


def _group(release: Release, step: ReleaseStep) -> object:
    """What the releases have in common of which a step takes the last."""
    if step in PARTS:
        return tuple(release.version.split(".")[: PARTS[step]])
    if step in TIMES:
        year, month = release.uploaded[:4], int(release.uploaded[5:7])
        return year, (month - 1) // TIMES[step]
    return release.version
