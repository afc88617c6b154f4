"""Bodies as recorders keep them: as text, as bytes, in base64, already decoded from JSON, and still compressed."""

from __future__ import annotations

import base64
import binascii
import importlib
import json
import zlib
from collections.abc import Callable, Mapping
from typing import Any

from conformance.model import Json
from conformance.wording import LineError

MAX_RECORD = 256_000_000
"""How many bytes one exchange may take. The largest of 6,654 recorded ones has two million."""


class RecordError(LineError):
    """A record without what an exchange needs. The message says what is missing or wrong."""


class TooLargeError(RecordError):
    """A body has more bytes than may be read once it is unpacked."""


def encoded(value: Json) -> bytes:
    """A body that was recorded as text, as bytes or already decoded from JSON, as bytes again."""
    if isinstance(value, bytes):
        return value
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass")


def decoded_base64(text: str) -> bytes:
    """The bytes in base64 text. Raises `RecordError`."""
    try:
        return base64.b64decode(text)
    except (binascii.Error, ValueError):
        raise RecordError("the body is not base64") from None


def codings(header: str) -> list[str]:
    """The codings that a content-encoding header names, in the order in which they were applied."""
    names = (name.strip().lower() for name in header.split(","))
    return [name for name in names if name and name != "identity"]


class Unpacker:
    """Undoes the codings that a content-encoding header names, piece by piece.

    Raises `RecordError`, at once when nothing here knows the coding, and later when the bytes are not in it or become
    too many: more than ``limit``, or `MAX_RECORD`.
    """

    def __init__(self, header: str, limit: int | None = None) -> None:
        self._steps = [_step(name) for name in reversed(codings(header))]
        self._limit = MAX_RECORD if limit is None else limit
        self._size = 0

    def feed(self, data: bytes) -> bytes:
        """What ``data`` adds to the body."""
        for step in self._steps:
            try:
                data = step(data, self._limit - self._size + 1)
            except RecordError:
                raise
            except Exception:  # each decoder has an exception of its own
                raise RecordError("the body cannot be unpacked") from None
        self._size += len(data)
        if self._size > self._limit:
            raise TooLargeError(f"the body is larger than {self._limit} bytes when it is unpacked")
        return data


def decompressed(body: bytes, header: str) -> bytes:
    """``body`` without the codings that a content-encoding header names; what is cut off is decoded as far as it came.

    Raises `RecordError` as `Unpacker` does.
    """
    return Unpacker(header).feed(body)


def unpacked(body: bytes, header: str) -> bytes:
    """A recorded body as it was before its content coding. Many recorders have undone the coding and kept the header.

    What is text is taken as it is: nothing compressed is UTF-8, but for short bodies in brotli. Raises `RecordError` as
    `decompressed` does.
    """
    names = codings(header)
    if not body or not names or (_is_text(body) and not (names[-1] == "br" and _is_brotli(body))):
        return body
    return decompressed(body, header)


def _is_brotli(body: bytes) -> bool:
    brotli = _library("brotli", "br")
    decoder = brotli.Decompressor()
    try:
        decoder.process(body, output_buffer_limit=MAX_RECORD)
    except brotli.error:
        return False
    return bool(decoder.is_finished())


UnpackStep = Callable[[bytes, int], bytes]
"""Decodes a piece, and stops when it has more than so many bytes."""


def _step(name: str) -> UnpackStep:
    make = _CODINGS.get(name)
    if make is None:
        raise RecordError(f"the body is still compressed with {name}")
    return make()


def _gzip() -> UnpackStep:
    return zlib.decompressobj(zlib.MAX_WBITS | 32).decompress


def _deflate() -> UnpackStep:
    """With or without zlib's frame (RFC 9110, 8.4.1.2: some senders leave it out)."""
    decoder: Any = None

    def step(data: bytes, limit: int) -> bytes:
        nonlocal decoder
        if decoder is None and data:
            framed = data[0] & 0x0F == 8  # RFC 1950, 2.2: the method
            decoder = zlib.decompressobj(zlib.MAX_WBITS if framed else -zlib.MAX_WBITS)
        return b"" if decoder is None else bytes(decoder.decompress(data, limit))

    return step


def _brotli() -> UnpackStep:
    decoder = _library("brotli", "br").Decompressor()

    def step(data: bytes, limit: int) -> bytes:
        parts, size = [], 0
        while size < limit and (part := decoder.process(data, output_buffer_limit=_PIECE)):
            parts.append(part)
            size += len(part)
            data = b""
            if decoder.is_finished():
                break
        return b"".join(parts)

    return step


def _zstandard() -> UnpackStep:
    decoder = _library("zstandard", "zstd").ZstdDecompressor().decompressobj(read_across_frames=True)

    def step(data: bytes, limit: int) -> bytes:
        parts, size = [], 0
        for start in range(0, len(data), _PIECE >> 10):  # small pieces: a bomb is noticed before it has burst
            part = decoder.decompress(data[start : start + (_PIECE >> 10)])
            parts.append(part)
            size += len(part)
            if size >= limit:
                break
        return b"".join(parts)

    return step


_PIECE = 1 << 20


def _library(module: str, coding: str) -> Any:
    """A decoder that is installed only with an extra. Raises `RecordError` when it is not there."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise RecordError(f"the body is still compressed with {coding}; install {module} to read it") from None


def known_codings() -> list[str]:
    """The codings that can be undone here."""
    return list(_CODINGS)


_CODINGS: Mapping[str, Callable[[], UnpackStep]] = {
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstandard,
}


def _is_text(body: bytes) -> bool:
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True
