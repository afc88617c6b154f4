"""JSON Lines: one exchange a line, decoded as far as possible.

    {id, method, host, path, query, request, request_headers, status, stream, response | response_raw,
     response_headers, provider, fidelity, conversation, turn, prev, time}

``request`` and ``response`` are JSON documents, ``response_raw`` is text: a stream, or a body that is not JSON. All
fields may be missing except the one that says what is to be judged. A ``fidelity`` other than ``wire`` marks what an
SDK wrote down, or fixtures, which have no framing of their own.

A line may also be a document of OpenTelemetry, which tells of many model calls or of a part of one, or a line of a
gateway's log (`conformance.traffic.telling`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import BinaryIO

import msgspec

from conformance.http import Request
from conformance.model import Json
from conformance.recordings.bodies import MAX_RECORD, RecordError, encoded
from conformance.recordings.messages import flat_headers
from conformance.traffic.moments import moment
from conformance.traffic.records import RecordedExchange, TrafficRecord, UnreadableRecord, one_record
from conformance.traffic.telling.gateways import log_format, read_log_line
from conformance.traffic.telling.opentelemetry import OtlpReader, is_otlp

SKIPPED_AT_ONCE = 1 << 20
"""How many bytes that nobody wants are read in one step."""


def read_lines(file: BinaryIO, source: str) -> Iterator[RecordedExchange | UnreadableRecord]:
    """The exchanges in a file, line by line: never more than one of them is in memory."""
    lines = TrafficLines(file, source)
    while not lines.ended:
        yield from lines.read()


class TrafficLines:
    """A file of lines, read forward: ``at`` is the first byte of the next line, ``line`` counts those before it."""

    def __init__(self, file: BinaryIO, source: str) -> None:
        self._file, self._source = file, source
        self._documents = Documents(source)
        self.at = self.line = 0
        self.ended = False

    def read(self) -> Sequence[TrafficRecord]:
        """What the next line tells of, most often one exchange; and at the end of the file, what was begun."""
        data = self._next()
        if not data:
            self.ended = True
            return list(self._documents.rest())
        self.line += 1
        if len(data) == MAX_RECORD and not data.endswith(b"\n"):
            self._to_the_end_of_the_line()
            return [UnreadableRecord(self._source, self.line, f"longer than {MAX_RECORD} bytes")]
        return self._documents.of_line(data, self.line) if data.strip() else ()

    def skip(self, to: int) -> None:
        """Pass over the lines that begin before ``to``."""
        self._documents.forget()
        while self.at < to:
            data = self._file.read(min(to - self.at, SKIPPED_AT_ONCE))
            if not data:
                self.ended = True
                return
            self.at += len(data)
            self.line += data.count(b"\n")
            if self.at == to and not data.endswith(b"\n"):
                self._to_the_end_of_the_line()
                self.line += 1

    def _next(self) -> bytes:
        data = self._file.readline(MAX_RECORD)
        self.at += len(data)
        return data

    def _to_the_end_of_the_line(self) -> None:
        while (data := self._next()) and not data.endswith(b"\n"):
            pass


class Documents:
    """Reads the documents of one file, each of which may tell of any number of exchanges."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._otlp = OtlpReader(source)

    def of_line(self, data: bytes, line: int) -> Sequence[TrafficRecord]:
        """What a line tells of. What msgspec refuses is left to the standard library, which also reads lone
        surrogates, ``NaN`` and UTF-16."""
        try:
            document, encode = msgspec.json.decode(data), _written_again
        except (ValueError, RecursionError):
            try:
                document, encode = _read_slowly(data), encoded
            except RecordError as problem:
                return [UnreadableRecord(self._source, line, str(problem))]
            except RecursionError:
                return [UnreadableRecord(self._source, line, "nested too deeply")]
        return self.of_document(document, line, encode)

    def of_document(
        self, document: Json, line: int, encode: Callable[[Json], bytes] = encoded
    ) -> Sequence[TrafficRecord]:
        """What a document tells of, its bodies as ``encode`` writes them."""
        if isinstance(document, dict):
            if is_otlp(document):
                return list(self._of_otlp(document, line))
            if (log := log_format(document)) is not None:
                return [read_log_line(document, log, self._source, line)]
        return [_of_one(document, self._source, line, encode)]

    def _of_otlp(self, document: dict[str, Json], line: int) -> Iterator[TrafficRecord]:
        try:
            yield from self._otlp.read(document, line)
        except RecursionError:
            yield UnreadableRecord(self._source, line, "nested too deeply")

    def knows(self, document: dict[str, Json]) -> bool:
        """Whether a document is one of those that tell of model calls in words of their own."""
        return is_otlp(document) or log_format(document) is not None

    def forget(self) -> None:
        """What comes next does not follow what came before."""
        self._otlp.forget()

    def rest(self) -> Iterator[TrafficRecord]:
        """What was begun and never ended, at the end of the file."""
        return self._otlp.rest()


def _read_slowly(data: bytes) -> Json:
    try:
        return json.loads(data)
    except ValueError as problem:
        raise RecordError(f"not JSON: {problem}") from None


def _written_again(value: Json) -> bytes:
    """A body that msgspec read, or its text, as bytes: the same as `encoded`, in less time."""
    return encoded(value) if isinstance(value, str) else msgspec.json.encode(value)


def _of_one(document: Json, source: str, line: int, encode: Callable[[Json], bytes]) -> TrafficRecord:
    """The exchange that a document holds."""

    @one_record
    def reading(document: Json, source: str, line: int) -> RecordedExchange:
        return of_document(document, source, line, encode)

    return reading(document, source, line)


def of_document(
    document: Json, source: str, line: int, encode: Callable[[Json], bytes] = encoded
) -> RecordedExchange:
    """The exchange that a document holds, its bodies as ``encode`` writes them. Raises `RecordError`."""
    if not isinstance(document, dict):
        raise RecordError("not an object")
    raw = document.get("response_raw")
    answer = raw if raw is not None else document.get("response")
    if document.get("request") is None and answer is None:
        raise RecordError("neither request nor response")
    status, turn = document.get("status"), document.get("turn")
    return RecordedExchange(
        source=source,
        line=line,
        id=_text(document.get("id")),
        request=_request(document, encode),
        status=status if isinstance(status, int) else 200,
        headers=flat_headers(document.get("response_headers")),
        body=None if answer is None else encode(answer),
        stream=document["stream"] if isinstance(document.get("stream"), bool) else None,
        framed=document.get("fidelity") in (None, "wire"),
        provider=_text(document.get("provider")),
        conversation=_text(document.get("conversation")),
        turn=turn if isinstance(turn, int) else None,
        previous=_text(document.get("prev")),
        moment=moment(document.get("time")),
    )


def _request(document: dict[str, Json], encode: Callable[[Json], bytes]) -> Request:
    """The request; one without a body where only the answer was kept, because the address tells whose it is."""
    headers = flat_headers(document.get("request_headers"))
    host = document.get("host") or headers.get("host") or ""
    query = f"?{document['query']}" if document.get("query") else ""
    url = f"https://{host}{document.get('path') or '/'}{query}"
    sent = document.get("request")
    request = Request(str(document.get("method") or "POST"), url, headers, b"" if sent is None else encode(sent))
    if isinstance(sent, dict | list):
        request.reads_as(sent)
    return request


def _text(value: Json) -> str | None:
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else None
