"""How a recorded answer came: whole, or as a stream, and in which framing.

What the bytes look like decides, because recorders reframe: the same Ollama stream may stand in a file as lines of
JSON or as server-sent events.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable
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
        if typed := _typed(unframe([body], "aws-event-stream")):
            return typed
        raise FramingError("it is an AWS event stream without a whole message")
    events = list(map(read_quickly, unframe([body], _framing(body))))
    return list(map(_unwrapped, events)) if all(map(_is_wrapped, events)) else events


WRAPPED = {"event", "data"}


def _is_wrapped(event: StreamEvent) -> bool:
    """Whether a recorder wrote a binary event down as ``{"event": type, "data": payload}``."""
    document = event.document
    return isinstance(document, dict) and document.keys() == WRAPPED and isinstance(document["event"], str)


def _unwrapped(event: StreamEvent) -> StreamEvent:
    return StreamEvent(json.dumps({event.document["event"]: event.document["data"]}))


def _typed(events: Iterable[StreamEvent]) -> list[StreamEvent]:
    """The events of an AWS event stream. Bedrock's ``chunk`` holds an event of the model's own format, as base64."""
    return [read_quickly(_unpacked(event)) for event in events]


def _unpacked(event: StreamEvent) -> StreamEvent:
    chunk = event.document.get("chunk") if isinstance(event.document, dict) else None
    packed = chunk.get("bytes") if isinstance(chunk, dict) else None
    if not isinstance(packed, str):
        return event
    try:
        return StreamEvent(base64.b64decode(packed, validate=True).decode())
    except ValueError:
        raise FramingError("an AWS event stream with a chunk that is no base64") from None


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
