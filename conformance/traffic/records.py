"""One recorded exchange, whatever kind of file it stands in.

Readers yield a `RecordedExchange` for each exchange and an `UnreadableRecord` for each that they cannot make out:
nothing is dropped silently.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from conformance.http import Request, url_parts
from conformance.recordings.bodies import RecordError
from conformance.wording import on_one_line

T = TypeVar("T")

MAX_WHY = 500
"""How much is said about what is wrong with a record."""


@dataclass(frozen=True, slots=True)
class UnreadableRecord:
    """A record, or a whole file, that cannot be judged, and why."""

    source: str
    line: int
    why: str
    """One line, whatever of the record stands in it."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "why", on_one_line(self.why, MAX_WHY)[:MAX_WHY])


def one_record(
    read: Callable[[T, str, int], RecordedExchange],
) -> Callable[[T, str, int], RecordedExchange | UnreadableRecord]:
    """A reader of one record that makes a line of whatever is wrong with it. Others wrote it: it may hold anything."""

    @functools.wraps(read)
    def reading(document: T, source: str, line: int) -> RecordedExchange | UnreadableRecord:
        try:
            return read(document, source, line)
        except RecordError as problem:
            why = str(problem)
        except RecursionError:
            why = "nested too deeply"
        except Exception as problem:
            why = f"it cannot be read: {type(problem).__name__}: {problem}"
        return UnreadableRecord(source, line, why)

    return reading


@dataclass(frozen=True, slots=True)
class RecordedExchange:
    """One exchange as it was recorded.

    ``source`` and ``line`` say where it stands. ``request`` is ``None`` where only the answer was kept, and ``body``
    is ``None`` where the answer was not. ``stream`` is ``None`` where the recorder does not say how the answer came.
    """

    source: str
    line: int
    id: str | None = None
    request: Request | None = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    """The answer's."""
    body: bytes | None = None
    stream: bool | None = None
    framed: bool = True
    """Whether this is what went over the wire: else an SDK, or a maker of fixtures, wrote down what was in it."""
    provider: str | None = None
    """Whose traffic the recorder takes it for, in its own words."""
    conversation: str | None = None
    turn: int | None = None
    previous: str | None = None
    """The id of the record that this one continues."""
    told_by: str = ""
    """Who tells of it in words of his own (`conformance.traffic.telling`); ``""``: what was sent was written down."""
    moment: float | None = None
    """When the model was called, in seconds since 1970, where the recorder says so."""

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        return len(self.request.body if self.request else b"") + len(self.body or b"")

    @property
    def host(self) -> str:
        """The host that was called, with its port; empty when it is not known."""
        return url_parts(self.request.url).netloc.rpartition("@")[2] if self.request else ""


TrafficRecord = RecordedExchange | UnreadableRecord
"""What a file tells of one model call."""
