"""When a model was called, as recorders write it down."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from conformance.model import Json

THOUSANDS = (1e17, 1e14, 1e11)
"""From where on a number counts nanoseconds, microseconds, milliseconds: as seconds it would lie in the far future."""
LAST = 4e9
"""What is later is no time of a recording."""


def moment(*told: Json) -> float | None:
    """The first of some values that is a time, in seconds since 1970: a number, ISO 8601, or a date of HTTP."""
    return next((seconds for value in told if (seconds := _seconds(value)) is not None), None)


def hour_of(seconds: float) -> str:
    """The hour of a time: ``2026-11-28T03``. All hours are UTC."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H")


def _seconds(value: Json) -> float | None:
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, str):
        value = _of_text(value.strip()[:100])
    if not isinstance(value, int | float) or not math.isfinite(value):
        return None
    number = float(value)
    for place, from_here in enumerate(THOUSANDS):
        if number >= from_here:
            number /= 1000 ** (len(THOUSANDS) - place)
            break
    return number if 0 < number < LAST else None


def _of_text(text: str) -> float | None:
    if text.isdecimal():
        return float(text)
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            found = read(text)
            return (found if found.tzinfo is not None else found.replace(tzinfo=UTC)).timestamp()
        except (ValueError, OverflowError, TypeError, IndexError):
            continue
    return None
