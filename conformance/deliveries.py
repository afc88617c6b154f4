"""How an answer reaches the adapter: whole, or as a stream cut in a particular way.

The same answer must mean the same in every delivery. Cuts are a function of the bytes alone, so a case can be repeated.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from conformance.http import FrameStyle, Framing

Cut = Callable[[list[bytes]], list[bytes]]
"""From one item per event to the chunks that the adapter reads."""


PLAIN = FrameStyle()


@dataclass(frozen=True, slots=True)
class Delivery:
    """One way to deliver. ``framings`` lists the stream framings that it exists for; ``framing`` forces one of them.

    ``reframes`` says that it uses liberties of the framing (line ends, comments, ...) beside cutting. ``everywhere``
    says that each written scenario is played in it; in the others those of the generated ones are that name them.
    ``loses`` says that a stream that breaks off does so because its connection is lost; in the others its body just
    ends. It exists for such streams alone, and for those who read them from a connection of their own.
    """

    name: str
    title: str
    cut: Cut | None = None
    style: FrameStyle = PLAIN
    framings: tuple[Framing, ...] = ("sse", "ndjson", "json-array", "aws-event-stream")
    framing: Framing | None = None
    reframes: bool = False
    everywhere: bool = False
    loses: bool = False

    @property
    def streaming(self) -> bool:
        """Whether the answer is a stream."""
        return self.cut is not None

    @property
    def mode(self) -> str:
        """The capability that it needs."""
        return "blocking" if self.cut is None else "streaming"


def whole(events: list[bytes]) -> list[bytes]:
    """Everything in one chunk."""
    return [b"".join(events)]


def per_event(events: list[bytes]) -> list[bytes]:
    """One chunk an event."""
    return list(events)


def per_line(events: list[bytes]) -> list[bytes]:
    """One chunk a line, its end included."""
    return b"".join(events).splitlines(keepends=True)


def per_byte(events: list[bytes]) -> list[bytes]:
    """One chunk a byte."""
    body = b"".join(events)
    return [body[place : place + 1] for place in range(len(body))]


def inside_characters(events: list[bytes]) -> list[bytes]:
    """A cut inside every multi-byte character, and nowhere else."""
    body = b"".join(events)
    return cut_at(body, [place for place, byte in enumerate(body) if 0x80 <= byte < 0xC0])


def inside_line_ends(events: list[bytes]) -> list[bytes]:
    """A cut between the CR and the LF of every line end."""
    body = b"".join(events)
    return cut_at(body, [place for place in range(1, len(body)) if body[place - 1 : place + 1] == b"\r\n"])


def randomly(seed: int) -> Cut:
    """Cuts at random places, between one byte and some hundred apart: the same ones for the same seed and body."""

    def cut(events: list[bytes]) -> list[bytes]:
        body = b"".join(events)
        chance, places, place = random.Random(f"{seed}/{len(body)}"), [], 0
        while (place := place + chance.choice((1, 2, 3, 7, 31, 127, 211))) < len(body):
            places.append(place)
        return cut_at(body, places)

    return cut


def cut_at(body: bytes, places: list[int]) -> list[bytes]:
    """``body`` in pieces that begin at ``places``."""
    edges = [0, *places, len(body)]
    return [body[start:end] for start, end in pairwise(edges) if start < end]


TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"\s*:|\\u[0-9a-fA-F]{4}|\\.|-?\d[\d.eE+-]*|true|false|null')
"""What JSON reads as one: a member's name, an escape, a number, a literal (RFC 8259)."""


def inside_tokens(events: list[bytes]) -> list[bytes]:
    """A cut in the middle of every name, escape, number and literal, inside of texts too, and nowhere else."""
    body = b"".join(events)
    return cut_at(body, sorted({(found.start() + found.end()) // 2 for found in TOKEN.finditer(body)} - {0}))


AS_SENT = "stream:as-sent"

_SSE: tuple[Framing, ...] = ("sse",)

_ALL = [
    Delivery("blocking", "one complete response", everywhere=True),
    Delivery("stream:whole", "a stream in one chunk", whole, everywhere=True),
    Delivery(AS_SENT, "the chunks as they came from the provider, live or recorded", per_event, everywhere=True),
    Delivery("stream:per-event", "one chunk an event", per_event, everywhere=True),
    Delivery("stream:lost", "one chunk an event, then the connection is lost", per_event, everywhere=True, loses=True),
    Delivery("stream:per-line", "one chunk a line", per_line),
    Delivery("stream:per-byte", "one chunk a byte", per_byte, everywhere=True),
    Delivery("stream:random-1", "cut at random places, seed 1", randomly(1)),
    Delivery("stream:random-2", "cut at random places, seed 2", randomly(2)),
    Delivery("stream:random-3", "cut at random places, seed 3", randomly(3)),
    Delivery("stream:utf8-split", "cut inside every multi-byte character", inside_characters),
    Delivery("stream:token-split", "cut inside every name, escape, number and literal", inside_tokens),
    Delivery("stream:crlf-split", "CRLF line ends, cut between CR and LF", inside_line_ends,
             FrameStyle(line_end="\r\n"), framings=_SSE, reframes=True),
    Delivery("stream:cr", "lone CR as line end, one chunk an event", per_event,
             FrameStyle(line_end="\r"), framings=_SSE, reframes=True),
    Delivery("stream:keep-alive", "a keep-alive before every event", per_event,
             FrameStyle(comments=True), framings=_SSE, reframes=True),
    Delivery("stream:multi-line", "JSON data over several data: lines, no space after the colon", per_event,
             FrameStyle(space=False, split_data=True), framings=_SSE, reframes=True),
    Delivery("stream:bom", "a byte-order mark first", per_event,
             FrameStyle(bom=True), framings=_SSE, reframes=True),
    Delivery("stream:json-array", "one JSON array, for who does not ask for server-sent events", per_line,
             framings=("json-array",), framing="json-array", reframes=True),
]  # fmt: skip

DELIVERIES: Mapping[str, Delivery] = {delivery.name: delivery for delivery in _ALL}
"""Every delivery, by name."""
