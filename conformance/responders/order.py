"""What a recorder is told."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from conformance.recordings.interaction import Origin

SERVED: Origin = "conformance serve"


@dataclass(frozen=True, slots=True)
class RecordingOrder:
    """How to record. ``adapter`` is who calls, with its version. ``budget`` is the file that counts the calls.

    ``again`` records also what there is. ``like`` records only what that folder has a recording of.
    """

    adapter: str
    budget: Path
    limit: int
    origin: Origin = "live"
    again: bool = False
    like: Path | None = None
