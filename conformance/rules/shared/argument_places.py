"""The places in the arguments of a call, as they were offered and as they were read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from conformance.model import Json
from conformance.rules.check import Finding
from conformance.wires.facts import pointer


class ArgumentPlace(NamedTuple):
    """A place in arguments: the one around it, and the last part of its pointer. A pointer is as long as its place is
    deep, so it is only written where something is wrong."""

    around: ArgumentPlace | None
    part: str

    def told(self, verdict: Finding | None) -> Finding | None:
        """A verdict, whose pointer begins here, with the whole pointer."""
        return None if verdict is None else replace(verdict, at=self._pointer() + verdict.at)

    def _pointer(self) -> str:
        parts: list[str] = []
        place: ArgumentPlace | None = self
        while place is not None:
            parts.append(place.part)
            place = place.around
        return "".join(reversed(parts))


def walked(root: ArgumentPlace, offered: Json, read: Json) -> Iterator[tuple[ArgumentPlace, Json, Json]]:
    """Containers first, then what is in both. A loop, because a hostile document may be deep."""
    pending = [(root, offered, read)]
    while pending:
        here, one, other = pending.pop()
        yield here, one, other
        if isinstance(one, dict) and isinstance(other, dict):
            both = reversed([key for key in one if key in other])
            pending += ((ArgumentPlace(here, pointer(key)), one[key], other[key]) for key in both)
        elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
            pending += ((ArgumentPlace(here, f"/{at}"), one[at], other[at]) for at in reversed(range(len(one))))
