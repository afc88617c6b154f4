"""How a recorded answer came: whole, or as a stream, and in which framing.

What the bytes look like decides, because recorders reframe: the same Ollama stream may stand in a file as lines of
JSON or as server-sent events.
"""

from __future__ import annotations

import json
from typing import TypeVar

import msgspec

from conformance.http import Framing, FramingError, JsonCarrier, StreamEvent, unframe
from conformance.traffic.records import RecordedExchange

T = TypeVar("T", bound=JsonCarrier)

_decode = msgspec.json.Decoder().decode

STREAM_TYPES = ("text/event-stream", "application/x-ndjson", "application/stream+json", "amazon.eventstream")


def is_stream(record: RecordedExchange) -> bool:
    """Whether a record's answer is a stream.

    A single JSON object is not, whatever the recorder or the headers say: it is an error, or an answer of one line.
    """
    body = record.body or b""
    if body.lstrip().startswith(b"{"):
        return _is_lines(body)
    if record.stream is not None:
        return record.stream
    kind = record.headers.get("content-type", "")
    return any(name in kind for name in STREAM_TYPES) or body.lstrip().startswith((b"data:", b"event:", b"id:"))


def _is_lines(body: bytes) -> bool:
    """Whether a body that begins with an object is lines of JSON."""
    if b"\n" not in body.strip():
        return False
    try:
        json.loads(body)
    except ValueError:
        return True
    return False


def events_of(body: bytes) -> list[StreamEvent]:
    """The events of a stream. Raises `FramingError` for bytes in a framing that is not read here."""
    if body.startswith(b"\x00"):
        raise FramingError("it is a binary AWS event stream")
    return list(map(read_quickly, unframe([body], _framing(body))))


def read_quickly(message: T) -> T:
    """An event, or an answer, that was read in less time than it would take itself. What msgspec refuses is left to it:
    the standard library also reads lone surrogates, ``NaN`` and UTF-16."""
    try:  # noqa: SIM105 - of each event of a stream
        message.reads_as(_decode(message.carried))
    except (ValueError, RecursionError):
        pass
    return message


def _framing(body: bytes) -> Framing:
    match body.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]:
        case b"[":
            return "json-array"
        case b"{":
            return "ndjson"
    return "sse"
