"""Where in a JSON text its keys, strings and numbers stand. The text may be cut off, or several documents in a row."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator
from typing import Literal

Path = tuple[str | int, ...]
SpanKind = Literal["key", "value", "number"]

DEEPEST = 200
"""Of how many steps a path is told. Of a longer one the first step and the last ones are: text may nest without end."""

_TOKEN = re.compile(
    r'"(?P<string>(?:[^"\\]++|\\[\s\S])*+\\?)(?P<closed>"?)|(?P<open>[{\[])|(?P<close>[}\]])|(?P<comma>,)'
    r"|(?P<number>-?[0-9][0-9.eE+-]*)"
)

ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|([\s\S]))")
_SHORT = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


def unescaped(raw: str) -> str:
    """What is between the quotes of a string, decoded: one character for each `ESCAPE`."""
    if "\\" not in raw:
        return raw
    if "\\u" not in raw:  # the quick way would join the two halves of a character that needs two escapes
        with contextlib.suppress(ValueError):
            return str(json.loads(f'"{raw}"', strict=False))
    return ESCAPE.sub(_character, raw)


def _character(found: re.Match[str]) -> str:
    if found[1]:
        return chr(int(found[1], 16))
    return _SHORT.get(found[2], found[2])


def spans(text: str) -> Iterator[tuple[Path, SpanKind, int, int]]:
    """Each key, string and number: its path, its kind, and where it begins and ends, quotes left out.

    A key's path is that of its value. When the text holds several documents, as NDJSON does, the paths of the second
    and later ones begin with the document's number, counted from 0; those of a single one do not. A loop and no
    recursion, and no check: what is not JSON gives whatever it looks like.
    """
    found = list(_spans(text))
    several = any(number > 0 for number, *_ in found)
    for number, path, kind, start, end in found:
        yield (number, *path) if several else path, kind, start, end


def _spans(text: str) -> Iterator[tuple[int, Path, SpanKind, int, int]]:
    path: list[str | int] = []  # one step for each object and array that is open: the current key or index
    keyed: list[bool] = []  # for each of them: True while an object waits for a key
    objects: list[bool] = []
    number = 0
    for token in _TOKEN.finditer(text):
        kind = token.lastgroup
        if kind == "closed":
            start, end = token.span("string")
            if keyed and keyed[-1]:
                path[-1] = unescaped(token["string"])
                keyed[-1] = False
                yield number, _told(path), "key", start, end
            else:
                yield number, _told(path), "value", start, end
        elif kind == "number":
            yield number, _told(path), "number", *token.span()
        elif kind == "open":
            is_object = token.group() == "{"
            path.append("" if is_object else 0)
            keyed.append(is_object)
            objects.append(is_object)
        elif kind == "comma" and path:
            keyed[-1] = objects[-1]
            step = path[-1]
            path[-1] = "" if isinstance(step, str) else step + 1
        elif kind == "close" and path:
            path.pop()
            keyed.pop()
            objects.pop()
            number += not path


def _told(path: list[str | int]) -> Path:
    return tuple(path) if len(path) <= DEEPEST else (path[0], *path[1 - DEEPEST :])
