"""Lies about how bytes become events."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from conformance.http import Request
from conformance.mutants.liar import Liar
from conformance.wires import PROVIDERS, card

TALKATIVE = ("parallel_calls.*", "multi_turn.*", "write_file.*", "read_file.*")
"""Scenarios enough to try a framing on: with text, with calls, with characters of all kinds."""


TEXT = tuple(name for name in PROVIDERS if "aws-event-stream" not in card(name).framings)
"""The providers whose streams are text."""


class SplitsUtf8(Liar):
    """Every chunk is text, so it can be decoded at once."""

    aims = ("common.stream.utf8-split-across-reads",)
    providers = TEXT
    deliveries = ("stream:utf8-split",)

    def hears(self, chunks: Iterable[bytes]) -> Iterable[bytes]:
        return (chunk.decode("utf-8", "replace").encode() for chunk in chunks)


class IgnoresBrokenCharacters(Liar):
    """Bytes that are no text can be left out."""

    aims = ("common.stream.utf8-split-across-reads",)
    providers = TEXT
    deliveries = ("stream:utf8-split",)

    def hears(self, chunks: Iterable[bytes]) -> Iterable[bytes]:
        return (chunk.decode("utf-8", "ignore").encode() for chunk in chunks)


class TakesChunksForLines(Liar):
    """A chunk holds whole lines. What is left at its end can be thrown away."""

    aims = ("common.stream.equivalent-to-non-stream",)
    deliveries = ("stream:random-1", "stream:per-byte")
    scenarios = TALKATIVE

    def hears(self, chunks: Iterable[bytes]) -> Iterable[bytes]:
        return (b"".join(line for line in chunk.splitlines(keepends=True) if line.endswith(b"\n")) for chunk in chunks)


class ReadsOneLineAChunk(Liar):
    """The network delivers one line at a time, so there is no need to look for its end."""

    aims = ("common.stream.equivalent-to-non-stream",)
    providers = ("ollama",)
    deliveries = ("stream:per-byte", "stream:whole", "stream:random-1")
    scenarios = TALKATIVE

    def hears(self, chunks: Iterable[bytes]) -> Iterable[bytes]:
        return (chunk.rstrip(b"\n").replace(b"\n", b" ") + b"\n" for chunk in chunks)


class KnowsOnlyLineFeeds(Liar):
    """Lines end in line feeds. Carriage returns are from another time."""

    aims = ("common.stream.sse-framing",)
    deliveries = ("stream:cr",)
    scenarios = TALKATIVE

    def hears(self, chunks: Iterable[bytes]) -> Iterable[bytes]:
        return (chunk.replace(b"\r", b" ") for chunk in chunks)


class NeedsTheSpace(Liar):
    """A line of data begins with ``data: ``, space included."""

    aims = ("common.stream.sse-framing",)
    deliveries = ("stream:multi-line",)
    scenarios = TALKATIVE

    def hears(self, chunks: Iterable[bytes]) -> Iterable[bytes]:
        return (re.sub(rb"(?m)^data:[^ ].*$", b": ignored", chunk) for chunk in chunks)


class ReadsOneDataLine(Liar):
    """An event has one line of data: the last one counts."""

    aims = ("common.stream.sse-framing",)
    deliveries = ("stream:multi-line",)
    scenarios = TALKATIVE

    def hears(self, chunks: Iterable[bytes]) -> Iterable[bytes]:
        return (re.sub(rb"(?m)^data:.*\n(?=data:)", b"", chunk) for chunk in chunks)


class ReadsComments(Liar):
    """A line that is not blank says something: what follows the colon is data."""

    aims = ("common.stream.sse-framing",)
    deliveries = ("stream:keep-alive",)
    scenarios = TALKATIVE

    def hears(self, chunks: Iterable[bytes]) -> Iterable[bytes]:
        return (re.sub(rb"(?m)^: (.*)$", rb"data: \1", chunk) for chunk in chunks)


class FearsTheMark(Liar):
    """A stream that begins with strange bytes is no text, and not worth reading."""

    aims = ("common.stream.sse-framing",)
    deliveries = ("stream:bom",)
    scenarios = TALKATIVE

    def hears(self, chunks: Iterable[bytes]) -> Iterable[bytes]:
        body = b"".join(chunks)
        return [] if body.startswith(b"\xef\xbb\xbf") else [body]


class KnowsNoArrays(Liar):
    """A stream is server-sent events, though it did not ask for them."""

    aims = ("gemini.stream.sse-and-json-array",)
    scenarios = TALKATIVE

    def posts(self, request: Request) -> Request:
        return replace(request, url=request.url.replace("?alt=sse", ""))

    def hears(self, chunks: Iterable[bytes]) -> Iterable[bytes]:
        return (b": " + chunk for chunk in (b"", *chunks))
