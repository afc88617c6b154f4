"""Problems of a recording after which it is no use to go on, whatever case comes next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

HaltKind = Literal["calls_spent", "no_access", "cassette"]
"""No calls are left; the key is wrong or may not do this; a cassette cannot be read or written."""


@dataclass(frozen=True, slots=True)
class Halt:
    """Such a problem in one case. ``error`` is the name of the exception, ``words`` is what it says."""

    kind: HaltKind
    error: str
    words: str


def halt_of(problem: Exception) -> Halt | None:
    """What an exception of a responder means for the cases that come after."""
    from conformance.recordings.store import CassetteError
    from conformance.responders.live import NoAccessError
    from conformance.responders.recording import CallsSpentError

    kinds: dict[type[Exception], HaltKind] = {
        CallsSpentError: "calls_spent",
        NoAccessError: "no_access",
        CassetteError: "cassette",
    }
    kind = next((kinds[known] for known in kinds if isinstance(problem, known)), None)
    return Halt(kind, type(problem).__name__, str(problem)) if kind else None
