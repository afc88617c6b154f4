"""What a server is told when it starts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from conformance.model import Profile

MAX_BODY = 32 * 1024 * 1024
"""The largest body that is read. Anthropic answers 413 above 32 MB (errors page, "request_too_large")."""

PATIENCE = 20.0
"""Clients of this machine, and of a network, send a request in one go."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How the provider behaves.

    ``lenient`` answers whatever is asked and only reports. ``scenario`` is played where a request chooses none.
    Without it the request's own tools are called, wrongly too if ``provoke`` says so.
    ``fault`` happens to requests that ask for none (see `conformance.server.faults`). ``name`` is what clients are
    called in the result, instead of their User-Agent. ``root`` is a folder of scenarios instead of the package's.
    ``keep`` is how many exchanges are remembered for the page; all are counted. ``patience`` is for how many seconds a
    client may send nothing in the middle of a request, or read nothing of an answer.
    """

    lenient: bool = False
    profile: Profile = "native"
    scenario: str | None = None
    provoke: bool = False
    fault: str = ""
    name: str | None = None
    root: Path | None = None
    keep: int = 500
    max_body: int = MAX_BODY
    patience: float = PATIENCE
