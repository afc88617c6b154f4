"""HTTP messages and stream framing, without any knowledge of a provider.

A `Request` is what an adapter wants sent, a `Response` what came back. A stream is a list of `StreamEvent`, framed as
bytes by `frame` and read back, across any cut of those bytes, by `unframe`.

Framings: ``sse`` (WHATWG HTML, "Server-sent events"), ``ndjson`` (one JSON document a line), ``json-array`` (one JSON
array whose elements arrive one by one, as Gemini sends without ``alt=sse``) and ``aws-event-stream`` (binary messages,
`conformance.http.event_stream`).
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, Protocol
from urllib.parse import SplitResult, urlsplit

from conformance.http.event_stream import EventStreamDecoder, EventStreamError, message

Framing = Literal["sse", "ndjson", "json-array", "aws-event-stream"]

CONTENT_TYPES: Mapping[Framing, str] = {
    "sse": "text/event-stream; charset=utf-8",
    "ndjson": "application/x-ndjson",
    "json-array": "application/json",
    "aws-event-stream": "application/vnd.amazon.eventstream",
}


MAX_BODY = 8_000_000
MAX_VALUES = 300_000
MAX_HEAD = 200_000
"""How many bytes a request's body may have, how many values, and how many characters its URL and headers together.

No scenario needs a hundredth of it. A document's values take far more memory than their text."""


class FramingError(ValueError):
    """Bytes that the framing does not allow."""


def _find(headers: Mapping[str, str], name: str) -> str | None:
    wanted = name.lower()
    return next((value for key, value in headers.items() if key.lower() == wanted), None)


def url_parts(url: str) -> SplitResult:
    """The parts of a URL. One that is none (``https://[/v1``) has parts, too: who reads what others wrote goes on."""
    try:
        return urlsplit(url)
    except ValueError:
        url, _, fragment = url.partition("#")
        url, _, query = url.partition("?")
        scheme, _, rest = url.rpartition("://")
        host, slash, path = rest.partition("/")
        return SplitResult(scheme, host, slash + path, query, fragment)


def has_too_many_values(document: bytes) -> bool:
    """Whether JSON text may hold more values than makes sense. Texts with as many commas are too long, too."""
    return len(document) > MAX_VALUES and sum(map(document.count, (b",", b"[", b"{"))) > MAX_VALUES


class JsonCarrier:
    """What carries JSON text. It is read once, by whoever asks first, and what was read is not changed."""

    @property
    def carried(self) -> str | bytes:
        """The text."""
        raise NotImplementedError

    @property
    def document(self) -> Any:
        """The text as JSON; ``None`` where it is none, or nests too deep to be read."""
        return self._read[1]

    @property
    def is_json(self) -> bool:
        """Whether the text is JSON that can be read."""
        return self._read[0]

    def reads_as(self, document: Any) -> None:
        """Take it from somebody who knows what the text reads as."""
        self.__dict__["_read"] = (True, document)

    @cached_property
    def _read(self) -> tuple[bool, Any]:
        try:
            return True, json.loads(self.carried)
        except (ValueError, RecursionError):
            return False, None


@dataclass(frozen=True)
class Request(JsonCarrier):
    """One HTTP request. ``url`` is absolute; ``body`` is exactly what goes over the wire."""

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""

    def __hash__(self) -> int:
        return hash((self.method, self.url, self.body))

    @classmethod
    def post_json(cls, url: str, document: Any, headers: Mapping[str, str] | None = None) -> Request:
        """A POST of ``document`` as JSON."""
        body = json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
        return cls("POST", url, {"content-type": "application/json", **(headers or {})}, body)

    def header(self, name: str) -> str | None:
        """The value of a header, whatever its case."""
        return _find(self.headers, name)

    @property
    def carried(self) -> bytes:
        """The body."""
        return self.body

    @property
    def path(self) -> str:
        """The path of the URL, without query."""
        return url_parts(self.url).path

    @property
    def excess(self) -> str:
        """What of it is too much, in words; empty for a request of a size that makes sense."""
        if len(self.body) > MAX_BODY:
            return f"body has more than {MAX_BODY} bytes"
        if has_too_many_values(self.body):
            return f"body has more than {MAX_VALUES} values"
        if len(self.url) + sum(len(name) + len(value) for name, value in self.headers.items()) > MAX_HEAD:
            return f"URL and headers have more than {MAX_HEAD} characters"
        return ""

    @property
    def query(self) -> str:
        """The query of the URL, without ``?``."""
        return url_parts(self.url).query


@dataclass(frozen=True)
class Response(JsonCarrier):
    """One complete HTTP response."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""

    @classmethod
    def of_json(cls, status: int, document: Any, headers: Mapping[str, str] | None = None) -> Response:
        """A response whose body is ``document`` as JSON."""
        body = json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
        return cls(status, {"content-type": "application/json", **(headers or {})}, body)

    @property
    def carried(self) -> bytes:
        """The body."""
        return self.body

    def header(self, name: str) -> str | None:
        """The value of a header, whatever its case."""
        return _find(self.headers, name)


@dataclass(frozen=True)
class StreamEvent(JsonCarrier):
    """One event of a stream: its ``data`` and, in SSE, its ``event`` name."""

    data: str
    event: str | None = None

    @property
    def carried(self) -> str:
        """The data."""
        return self.data


# --- writing ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FrameStyle:
    """The choices that a framing leaves open. All of them mean the same events.

    ``line_end`` ends lines (SSE also allows a lone CR; arrays always come as Google writes them); ``comments`` puts a
    keep-alive before every event (SSE comment lines, blank space elsewhere); ``bom`` starts with a byte-order mark,
    ``space`` puts the optional space after the colon, ``split_data`` writes JSON data over several ``data:`` lines
    (SSE only).
    """

    line_end: str = "\n"
    comments: bool = False
    bom: bool = False
    space: bool = True
    split_data: bool = False


def frame(events: Iterable[StreamEvent], framing: Framing, style: FrameStyle = FrameStyle()) -> list[bytes]:
    """``events`` as bytes, one item per event. Joined, the items are the body of the response."""
    if framing == "aws-event-stream":
        return [_frame_aws(event) for event in events]
    writer = {"sse": _frame_sse, "ndjson": _frame_ndjson, "json-array": _frame_array}[framing]
    return [text.encode("utf-8", "surrogatepass") for text in writer(list(events), style)]


def _frame_sse(events: list[StreamEvent], style: FrameStyle) -> Iterator[str]:
    end = style.line_end
    for number, item in enumerate(events):
        lines = [": keep-alive", "", ": keep-alive"] if style.comments else []
        if item.event is not None:
            lines.append(_field("event", item.event, style))
        lines += [_field("data", line, style) for line in _data_lines(item.data, style)]
        yield ("\ufeff" if style.bom and number == 0 else "") + end.join([*lines, "", ""])


_MEMBER = re.compile(r'\{"(\w+)":(.*)\}', re.DOTALL)
"""An event of an AWS event stream as JSON, as the SDKs show it: an object with one member, which is its type."""


def _frame_aws(event: StreamEvent) -> bytes:
    """A message. An event whose type is an exception is one. What is no JSON was damaged on its way, so its checksum is
    that of something else."""
    found = _MEMBER.fullmatch(event.data)
    name, payload = (found[1], found[2]) if found else ("", event.data)
    kind = "exception" if name.endswith("Exception") else "event"
    headers = {f":{kind}-type": name, ":content-type": "application/json", ":message-type": kind}
    return message(headers, payload.encode("utf-8", "surrogatepass"), whole=event.is_json)


def _field(name: str, value: str, style: FrameStyle) -> str:
    """A line. Readers drop one space before the value, so a value that begins with one has another before it."""
    return f"{name}: {value}" if style.space or value.startswith(" ") else f"{name}:{value}"


def _data_lines(data: str, style: FrameStyle) -> list[str]:
    """``data`` as lines. A line feed between two JSON tokens changes nothing, so that is where it may be split."""
    if style.split_data and data.startswith("{") and len(data) > 2:
        return ["{", *data[1:].split("\n")]
    return data.split("\n")


def _frame_ndjson(events: list[StreamEvent], style: FrameStyle) -> Iterator[str]:
    for item in events:
        yield (style.line_end if style.comments else "") + item.data + style.line_end


def _frame_array(events: list[StreamEvent], style: FrameStyle) -> Iterator[str]:
    """As Google's front end writes arrays: elements laid out over several lines, ``,\\r\\n`` between them.

    Recorders keep such streams as JSON, not as bytes, but readers are made for exactly this: Portkey-AI/gateway
    ``src/utils.ts`` cuts at CRLF, jeremychone/rust-genai ``src/webc/web_stream.rs`` (``PrettyJsonArray``) reads what
    is laid out. Nothing follows the closing bracket: Google's own reader takes such a stream character by character and
    raises on whatever comes after it (googleapis/python-api-core ``google/api_core/_rest_streaming_base.py``).
    """
    for number, item in enumerate(events):
        opening = "[" if number == 0 else ",\r\n"
        closing = "]" if number == len(events) - 1 else ""
        yield opening + ("\n\n" if style.comments else "") + laid_out(item.data) + "\n" + closing


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"?|\{\s*\}|\[\s*\]|[{}\[\]:,]|\s+|[^"{}\[\]:,\s]+', re.DOTALL)


def laid_out(document: str) -> str:
    """A JSON text over several lines, two spaces a level. Its strings and numbers stay as they are written, and so
    does text that breaks off."""
    depth, pieces = 0, []
    for token in _TOKEN.findall(document):
        if token in "}]":
            depth -= 1
            pieces.append("\n" + "  " * depth)
        if not token.isspace():
            pieces.append(token)
        if token in "{[":
            depth += 1
        if token in "{[,":
            pieces.append("\n" + "  " * depth)
        elif token == ":":
            pieces.append(" ")
    return "".join(pieces)


# --- reading ---------------------------------------------------------------------------------------------------------


class Decoder(Protocol):
    """Turns text, fed in any pieces, into events."""

    def feed(self, text: str) -> Iterator[StreamEvent]:
        """The events that ``text`` completes."""

    def close(self) -> Iterator[StreamEvent]:
        """What the end of the stream completes."""


def unframe(chunks: Iterable[bytes], framing: Framing) -> Iterator[StreamEvent]:
    """The events of a stream that arrives as ``chunks``, cut anywhere, also inside a character.

    Invalid UTF-8 becomes U+FFFD, as WHATWG asks. An event that the stream's end cuts off is yielded as far as it came:
    its reader finds out that its JSON is not whole. Raises `FramingError` when a ``json-array`` is not an array, or the
    lengths in an ``aws-event-stream`` do not fit. A message whose checksum is wrong is no JSON.
    """
    if framing == "aws-event-stream":
        yield from _unframe_aws(chunks)
        return
    text = codecs.getincrementaldecoder("utf-8")("replace")
    decoders: Mapping[Framing, Callable[[], Decoder]] = {
        "sse": SseDecoder,
        "ndjson": NdjsonDecoder,
        "json-array": ArrayDecoder,
    }
    decoder = decoders[framing]()
    for piece in _telling(chunks, _ENDS[framing]):
        yield from decoder.feed(text.decode(piece))
    yield from decoder.feed(text.decode(b"", True))
    yield from decoder.close()


def _unframe_aws(chunks: Iterable[bytes]) -> Iterator[StreamEvent]:
    decoder = EventStreamDecoder()
    try:
        for chunk in chunks:
            for headers, payload, fits in decoder.feed(chunk):
                name = headers.get(":event-type") or headers.get(":exception-type")
                text = payload.decode("utf-8", "replace")
                yield StreamEvent(f'{{"{name}":{text}}}' if fits and name else text if fits else f"damaged: {text}")
    except EventStreamError as problem:
        raise FramingError(str(problem)) from None
    if decoder.rest:
        yield StreamEvent(decoder.rest.decode("utf-8", "replace"))


_ENDS: Mapping[Framing, re.Pattern[bytes]] = {
    "sse": re.compile(rb"[\n\r]"), "ndjson": re.compile(rb"\n"), "json-array": re.compile(rb"[}\]]"),
}  # fmt: skip
"""The bytes that may complete an event. None of them is ever a part of a longer character."""


def _telling(chunks: Iterable[bytes], ends: re.Pattern[bytes]) -> Iterator[bytes]:
    """The chunks, each joined with those before it in which no event can have ended: many streams come byte by byte.

    The LF of a CRLF may come alone, so what follows a CR ends at once.
    """
    waiting: list[bytes] = []
    has_end, after_cr = ends.search, False
    for chunk in chunks:
        waiting.append(chunk)
        if after_cr or has_end(chunk):
            yield b"".join(waiting)
            after_cr = chunk.endswith(b"\r") or (after_cr and not chunk)
            waiting.clear()
    yield b"".join(waiting)


_LINE_END = re.compile(r"\r\n|\n|\r")


class SseDecoder:
    """Server-sent events: lines end in LF, CRLF or CR; a blank line dispatches.

    Source: WHATWG HTML, "Interpreting an event stream". One departure: an event without its closing blank line is
    dispatched at the end of the stream, because several servers leave the last blank line out.
    """

    def __init__(self) -> None:
        self._pieces: list[str] = []
        """The line that was begun. It may end in the CR of a CRLF."""
        self._started = False
        self._event: str | None = None
        self._data: list[str] = []

    def feed(self, text: str) -> Iterator[StreamEvent]:
        if not text:
            return
        if not self._started:
            self._started = True
            text = text.removeprefix("\ufeff")
        if "\n" in text or "\r" in text or (self._pieces and self._pieces[-1].endswith("\r")):
            text = "".join([*self._pieces, text])
            whole = text.removesuffix("\r")  # the next read may begin with the LF of this CRLF
            *lines, rest = _LINE_END.split(whole) if "\r" in whole else whole.split("\n")
            self._pieces = [rest + text[len(whole) :]]
            yield from self._events(lines)
        else:
            self._pieces.append(text)

    def close(self) -> Iterator[StreamEvent]:
        """The event that only lacked its blank line, if there is one."""
        yield from self._events([*_LINE_END.split("".join(self._pieces)), ""])
        self._pieces = []

    def _events(self, lines: Iterable[str]) -> Iterator[StreamEvent]:
        for line in lines:
            name, _, value = line.partition(":")
            if name == "data":
                self._data.append(value.removeprefix(" "))
            elif name == "event":
                self._event = value.removeprefix(" ")
            elif not line:
                if self._data:
                    yield StreamEvent("\n".join(self._data), self._event)
                self._data, self._event = [], None


class NdjsonDecoder:
    """Newline-delimited JSON. Blank lines are skipped; a last line without its newline counts."""

    def __init__(self) -> None:
        self._pieces: list[str] = []

    def feed(self, text: str) -> Iterator[StreamEvent]:
        *whole, rest = text.split("\n")
        for line in whole:
            self._pieces.append(line)
            yield from self._flush()
        if rest:
            self._pieces.append(rest)

    def close(self) -> Iterator[StreamEvent]:
        yield from self._flush()

    def _flush(self) -> Iterator[StreamEvent]:
        line = "".join(self._pieces).strip()
        self._pieces = []
        if line:
            yield StreamEvent(line)


class ArrayDecoder:
    """A JSON array of objects, read element by element. Only strings, escapes and nesting are looked at."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._depth = 0
        self._string = False
        self._escaped = False

    def feed(self, text: str) -> Iterator[StreamEvent]:
        start = 0 if self._depth > 1 else None
        for position, char in enumerate(text):
            if self._string:
                if self._escaped:
                    self._escaped = False
                elif char == "\\":
                    self._escaped = True
                elif char == '"':
                    self._string = False
            elif char == '"':
                self._string = True
            elif char in "{[":
                self._depth += 1
                if self._depth == 2:
                    start = position
                elif self._depth == 1 and char == "{":
                    raise FramingError("a JSON array stream begins with '[', found '{'")
            elif char in "}]":
                self._depth -= 1
                if self._depth == 1 and start is not None:
                    yield StreamEvent("".join([*self._pieces, text[start : position + 1]]))
                    self._pieces, start = [], None
            elif self._depth == 0 and not char.isspace() and char != "\ufeff":
                raise FramingError(f"a JSON array stream begins with '[', found {char!r}")
        if start is not None:
            self._pieces.append(text[start:])

    def close(self) -> Iterator[StreamEvent]:
        if self._pieces:
            yield StreamEvent("".join(self._pieces))
            self._pieces = []
