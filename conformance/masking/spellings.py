"""The ways in which a secret may be written: as it is, in a URL, behind escapes, in hexadecimal, in base64."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Iterator
from urllib.parse import quote

from conformance.masking.words import LEAST, PLACEHOLDER


def spellings(value: str) -> Iterator[tuple[str, str]]:
    """Each way to write a value, with what to put in its place. None is shorter than `LEAST` characters."""
    yield value, PLACEHOLDER
    for written in (value.lower(), value.upper(), value.capitalize()):  # as names of hosts and headers are written
        yield written, PLACEHOLDER
    if not (value.isalnum() and value.isascii()):
        for written in _escaped(value):
            if len(written) >= LEAST:
                yield written, PLACEHOLDER
    data = value.encode("utf-8", "surrogatepass")
    yield data.hex(), PLACEHOLDER
    yield data.hex().upper(), PLACEHOLDER
    for written in _in_base64(data):
        # As long as before, and still base64: what stands around it can be decoded as before.
        yield written, "A" * len(written)


def _escaped(value: str) -> Iterator[str]:
    data = value.encode("utf-8", "surrogatepass")
    for safe in ("", "/", "/:@", "/:@+=,"):
        quoted = quote(data, safe=safe)
        yield quoted
        yield _lower_escapes(quoted)
    yield quote(data, safe="").replace("%20", "+")
    written = value.encode("unicode_escape").decode()
    yield written
    yield written.replace('"', '\\"')
    yield json.dumps(value)[1:-1]
    yield json.dumps(value, ensure_ascii=False)[1:-1]
    yield json.dumps(value)[1:-1].replace("/", "\\/")
    yield html.escape(value)
    yield html.escape(value).replace("&#x27;", "&#39;")
    yield repr(value)[1:-1]


def _lower_escapes(quoted: str) -> str:
    pieces = quoted.split("%")
    return "%".join([pieces[0], *(piece[:2].lower() + piece[2:] for piece in pieces[1:])])


def _in_base64(data: bytes) -> Iterator[str]:
    """The letters that do not depend on what stands before and after it, for each of the three ways to begin."""
    for before in range(3):
        letters = base64.b64encode(b"\0" * before + data).decode().rstrip("=")
        first = -(-before * 8 // 6)
        last = (before + len(data)) * 8 // 6
        piece = letters[first:last]
        if len(piece) >= LEAST:
            yield piece
            if "+" in piece or "/" in piece:
                yield piece.replace("+", "-").replace("/", "_")
