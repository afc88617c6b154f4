"""JSON documents, element by element and with line numbers.

A cassette may be much larger than one of its exchanges, and a finding must say where in the file its exchange stands.
So the document's outermost level is read here by hand, and the elements inside by the standard decoder.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from conformance.model import Json

_DECODER = json.JSONDecoder()
_BLANK = re.compile(r"[ \t\r\n]*")


@dataclass(frozen=True, slots=True)
class JsonPlace:
    """An element and the line on which it begins."""

    line: int
    value: Json


def json_elements(text: str, path: tuple[str, ...]) -> Iterator[JsonPlace] | None:
    """The elements of the array at ``path``; ``None`` if there is none.

    The empty path is the document itself. Raises `ValueError` where the text is not JSON, `RecursionError` where it is
    nested too deeply; what came before has been yielded then.
    """
    start = _find(text, path)
    return _each(text, start) if start is not None and text.startswith("[", start) else None


def _find(text: str, path: tuple[str, ...]) -> int | None:
    """Where the value at ``path`` begins."""
    place = _skip(text, 0)
    for name in path:
        found = next((start for key, start in _members(text, place) if key == name), None)
        if found is None:
            return None
        place = found
    return place


def _members(text: str, place: int) -> Iterator[tuple[str, int]]:
    """The keys of the object that begins at ``place``, each with the place of its value."""
    if not text.startswith("{", place):
        return
    place = _skip(text, place + 1)
    while not text.startswith("}", place):
        key, place = _DECODER.raw_decode(text, place)
        start = _skip(text, _expect(text, _skip(text, place), ":"))
        yield str(key), start
        _, place = _DECODER.raw_decode(text, start)
        place = _next(text, place, "}")


def _each(text: str, place: int) -> Iterator[JsonPlace]:
    place, line, counted = _skip(text, place + 1), 1, 0
    while not text.startswith("]", place):
        line += text.count("\n", counted, place)
        counted = place
        value, place = _DECODER.raw_decode(text, place)
        yield JsonPlace(line, value)
        place = _next(text, place, "]")


def _next(text: str, place: int, closing: str) -> int:
    """The place behind the comma at ``place``, or that of the closing bracket."""
    place = _skip(text, place)
    return place if text.startswith(closing, place) else _skip(text, _expect(text, place, ","))


def _expect(text: str, place: int, char: str) -> int:
    if not text.startswith(char, place):
        raise json.JSONDecodeError(f"Expecting {char!r}", text, place)
    return place + 1


def _skip(text: str, place: int) -> int:
    found = _BLANK.match(text, place)
    return found.end() if found else place
