"""What keeps a library from being played, and is no fault of how it holds conversations.

Standard library only, because the child of an adapter finds out what it is (`conformance.adapters.obstructed`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ObstacleKind = Literal["misfit", "installation", "network"]
"""Our shim asks the installed release for what that does not have; the library asks for a package that its installation
did not bring; the library asks a host on the network that is no provider."""

HEADS: dict[ObstacleKind, str] = {
    "misfit": "this shim does not fit this release",
    "installation": "the library cannot be used as it is installed",
    "network": "the library needs the network",
}
"""What each says to people, before the error."""

ADVICE: dict[ObstacleKind, str] = {
    "misfit": "the library is not blamed: run a release that the shim fits, or enter in the shim what this one lacks "
    "(docs/libraries.md, Old releases)",
    "installation": "conformance env NAME installs what the library documents for it, and says so",
    "network": "the library is not blamed: run it where it reaches that host",
}
"""What to do about each."""


@dataclass(frozen=True, slots=True)
class Obstacle:
    """What a library met before anything could be judged. ``error`` is the exception, on one line."""

    kind: ObstacleKind
    error: str
    library: str = ""
    version: str = ""
    asked: str = ""
    """The line of ours that it happened in."""
