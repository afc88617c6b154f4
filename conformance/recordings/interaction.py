"""What a recording holds: interactions, and where they come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from conformance.http import Request

Ending = Literal["whole", "cut"]
"""How a body ended: as the sender meant, or with the connection."""

Origin = Literal["live", "conformance serve"]
"""Whom a recording is of: the provider, or our own server."""

Headers = tuple[tuple[str, str], ...]
"""Header fields in the order in which they came; a name may come twice."""


@dataclass(frozen=True, slots=True)
class Interaction:
    """One request and what answered it.

    ``chunks`` is the body as it arrived, content coding undone, piece by piece; a single piece where the recorder did
    not keep the boundaries. ``ended`` is ``cut`` when the connection broke before the body was whole.
    """

    request: Request
    status: int
    headers: Headers = ()
    chunks: tuple[bytes, ...] = ()
    ended: Ending = "whole"
    reason: str = ""

    @property
    def body(self) -> bytes:
        """The whole body."""
        return b"".join(self.chunks)


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a cassette comes from. ``origin`` tells the real provider (``live``) from our own (``conformance serve``).

    ``recorded`` is an ISO 8601 time in UTC; ``scenario_revision`` a digest of the scenario that was played;
    ``api_version`` the version header that was sent, if the provider has one.
    """

    provider: str
    model: str
    origin: Origin
    recorded: str
    adapter: str
    scenario: str
    delivery: str
    scenario_revision: str
    libraries: Mapping[str, str] = field(default_factory=dict)
    api_version: str | None = None
    scrub_version: int = 0
    suite: str = ""


@dataclass(frozen=True, slots=True)
class Cassette:
    """The interactions of one file, in the order in which they happened. ``provenance`` is ours: others have none."""

    interactions: tuple[Interaction, ...]
    provenance: Provenance | None = None
    source: str = ""
