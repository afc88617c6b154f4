"""What is known of a library's doors beforehand: one TOML file for each distribution, in ``libraries``.

``roots`` are the classes and functions that users meet, as the page at ``first.page`` shows them; ``first.door`` is
the method that it shows first. ``packages`` are further packages whose classes are the library's own. ``providers`` is
where the library lists the providers that it speaks to (``module:name``), and ``names`` say what it calls ours. All
else is derived; ``left_out`` says why a door is not counted, by a reason of a closed list.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal, get_args

FOLDER = Path(__file__).parent / "libraries"


LeftOutReason = Literal[
    "not about tools", "deprecated", "another provider", "a provider runs it", "for who extends the library",
    "cannot be played offline",
]  # fmt: skip
"""Why a door is not counted.

*Another provider*: or a format of a provider's that this suite does not speak. *A provider runs it*: it is about tools
that the provider runs itself, and not about the application's. *For who extends the library*: the library calls it
itself, or whoever writes a model or a loop of their own.
"""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Doors that are not counted. ``doors`` are globs of their names: ``OpenAI.realtime.*``, ``*(functions)``."""

    doors: tuple[str, ...]
    why: LeftOutReason
    link: str = ""
    note: str = ""

    def fits(self, *names: str) -> bool:
        """Whether it is about a door of one of these names."""
        return any(fnmatchcase(name, pattern) for name in names for pattern in self.doors)


@dataclass(frozen=True, slots=True)
class KnownLibrary:
    """What stands in a library's file."""

    distribution: str
    roots: tuple[str, ...]
    first_door: str
    first_page: str
    packages: tuple[str, ...] = ()
    providers: str = ""
    names: Mapping[str, str] = field(default_factory=dict)
    left_out: tuple[LeftOut, ...] = ()

    def reason(self, *names: str) -> LeftOut | None:
        """Why a door is not counted; ``None`` when it is."""
        return next((one for one in self.left_out if one.fits(*names)), None)


def known(distribution: str) -> KnownLibrary | None:
    """What is known of a distribution's doors; ``None`` where nobody wrote it down."""
    path = FOLDER / f"{re.sub(r'[^a-z0-9-]', '-', distribution.lower())}.toml"
    return _read(path, distribution) if path.exists() else None


def _read(path: Path, distribution: str) -> KnownLibrary:
    """Raises `ValueError` or `TypeError` where the file says what it may not."""
    document: dict[str, Any] = tomllib.loads(path.read_text("utf-8"))
    first, left_out = document.pop("first"), document.pop("left_out", [])
    return KnownLibrary(
        distribution=distribution,
        roots=tuple(document.pop("roots")),
        first_door=first["door"],
        first_page=first["page"],
        packages=tuple(document.pop("packages", ())),
        left_out=tuple(map(_left_out, left_out)),
        **document,
    )


def _left_out(entry: dict[str, Any]) -> LeftOut:
    made = LeftOut(tuple(entry.pop("doors")), entry.pop("why"), **entry)
    if made.why not in get_args(LeftOutReason):
        raise ValueError(f"{made.doors}: {made.why!r} is no reason; reasons are {', '.join(get_args(LeftOutReason))}")
    if made.why == "deprecated" and not made.link:
        raise ValueError(f"{made.doors}: what is deprecated needs the link that says so")
    return made
