"""AWS event streams: binary messages with headers and checksums, as Bedrock sends them.

    total length, length of headers, CRC-32 of both (4 bytes each) | headers | payload | CRC-32 of all before it

Numbers are big-endian. A header is a name (one byte of length before it), the type of its value, and the value; texts
(type 7) have two bytes of length before them. Sources: smithy.io, "Amazon Event Stream Specification"; botocore 1.44.8
``botocore.eventstream``, which reads the same.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Mapping

PRELUDE = struct.Struct(">III")
TEXT = 7
SIZES: Mapping[int, int] = {0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16}
"""How many bytes the values of the other types have. Types 6 and 7 say it themselves."""
MAX_MESSAGE = 24_000_000
"""What a message may have. The specification allows 16 MiB of payload and 128 KiB of headers."""


class EventStreamError(ValueError):
    """Bytes that are no event stream: lengths or their checksum do not fit."""


def message(headers: Mapping[str, str], payload: bytes, *, whole: bool = True) -> bytes:
    """One message. All header values are texts. The checksum of one that is not ``whole`` does not fit."""
    packed = b"".join(map(_packed, headers.items()))
    prelude = struct.pack(">II", len(packed) + len(payload) + 16, len(packed))
    body = prelude + struct.pack(">I", zlib.crc32(prelude)) + packed + payload
    return body + struct.pack(">I", zlib.crc32(body) ^ (not whole))


def _packed(header: tuple[str, str]) -> bytes:
    name, value = (text.encode() for text in header)
    return struct.pack(">B", len(name)) + name + struct.pack(">BH", TEXT, len(value)) + value


class EventStreamDecoder:
    """Puts messages together from bytes that come in any pieces."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def feed(self, data: bytes) -> Iterator[tuple[dict[str, str], bytes, bool]]:
        """The headers and payloads of the messages that ``data`` completes, and whether the checksum of each fits.

        Raises `EventStreamError` where nobody can tell where the next message begins.
        """
        self._bytes += data
        while len(self._bytes) >= PRELUDE.size:
            total, of_headers = self._lengths()
            if len(self._bytes) < total:
                return
            whole, self._bytes = bytes(self._bytes[:total]), self._bytes[total:]
            start, fits = PRELUDE.size + of_headers, zlib.crc32(whole[:-4]) == int.from_bytes(whole[-4:], "big")
            yield _headers(whole[PRELUDE.size : start]), whole[start:-4], fits

    def _lengths(self) -> tuple[int, int]:
        total, of_headers, checksum = PRELUDE.unpack_from(self._bytes)
        if zlib.crc32(self._bytes[:8]) != checksum:
            raise EventStreamError("the beginning of a message of an AWS event stream, whose checksum is wrong")
        if not 16 + of_headers <= total <= MAX_MESSAGE:
            raise EventStreamError(f"a message of an AWS event stream with the lengths {total} and {of_headers}")
        return total, of_headers

    @property
    def rest(self) -> bytes:
        """What came of a message that is not whole: its payload as far as it came."""
        if len(self._bytes) < PRELUDE.size:
            return b""
        total, of_headers, _ = PRELUDE.unpack_from(self._bytes)
        return bytes(self._bytes[PRELUDE.size + of_headers : total - 4])


def _headers(data: bytes) -> dict[str, str]:
    found: dict[str, str] = {}
    place = 0
    try:
        while place < len(data):
            name = data[place + 1 : place + 1 + data[place]].decode("utf-8", "replace")
            place += 1 + data[place]
            kind = data[place]
            size = SIZES.get(kind)
            place += 1
            if size is None:
                size = struct.unpack_from(">H", data, place)[0]
                place += 2
            found[name] = data[place : place + size].decode("utf-8", "replace") if kind == TEXT else ""
            place += size
    except (IndexError, struct.error):
        raise EventStreamError("headers of an AWS event stream that break off") from None
    return found
