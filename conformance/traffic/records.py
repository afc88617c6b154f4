"""One recorded exchange, whatever kind of file it stands in.

Readers yield a `RecordedExchange` for each exchange and an `UnreadableRecord` for each that they cannot make out:
nothing is dropped silently.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from conformance.http import Request


@dataclass(frozen=True, slots=True)
class UnreadableRecord:
    """A record, or a whole file, that cannot be judged, and why."""

    source: str
    line: int
    why: str


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

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        return len(self.request.body if self.request else b"") + len(self.body or b"")

    @property
    def host(self) -> str:
        """The host that was called, with its port; empty when it is not known."""
        return urlsplit(self.request.url).netloc.rpartition("@")[2] if self.request else ""
