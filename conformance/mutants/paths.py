"""Places in JSON documents, named alike in every document of a format: ``/messages/:tool/content``.

A path goes through an object by its keys and through an array by what kind of element it is: ``:`` and its role or
type, or only ``:`` where it has none. Where the keys are an application's own, as under ``properties``, a step is
``*``. What an application may fill in as it likes, such as a call's arguments, is one place and is not entered.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.model import Json

Container = dict[str, Any] | list[Any]
PathKey = str | int

OPEN = frozenset({"properties", "$defs", "definitions", "patternProperties"})
"""Keys under which every key is the application's own."""
PAYLOADS = frozenset({"arguments", "args", "input", "response", "parsed_arguments"})
"""Keys whose value, if it is an object, is the application's own."""
DEPTH = 2
"""How many levels of a schema's properties are entered."""


def paths(document: Json) -> dict[str, list[Json]]:
    """Every path in a document, with the values at it."""
    found: dict[str, list[Json]] = {}
    for path, value in _walk(document, "", 0):
        found.setdefault(path, []).append(value)
    return found


def _walk(value: Json, path: str, depth: int) -> Iterator[tuple[str, Json]]:
    for step, _, item in _inside(value, path, depth):
        here = f"{path}/{step}"
        yield here, item
        yield from _walk(item, here, depth + (step in OPEN))


def places(document: Json, path: str) -> list[tuple[Container, PathKey]]:
    """The containers and keys at which a path is found in a document, the last ones first, so that they may be cut."""
    wanted = path.split("/")[1:]
    found: list[tuple[Container, PathKey]] = []
    _find(document, wanted, found, "", 0)
    return found[::-1]


def _find(value: Json, wanted: list[str], found: list[tuple[Container, PathKey]], path: str, depth: int) -> None:
    for step, key, item in _inside(value, path, depth):
        if step != wanted[0]:
            continue
        if len(wanted) == 1:
            found.append((value, key))
        else:
            _find(item, wanted[1:], found, f"{path}/{step}", depth + (step in OPEN))


def _inside(value: Json, path: str, depth: int) -> Iterator[tuple[str, PathKey, Json]]:
    """The steps, keys and values inside a value that may be entered."""
    last = path.rpartition("/")[2]
    if isinstance(value, dict) and last not in PAYLOADS and not (last in OPEN and depth > DEPTH):
        for key, item in value.items():
            yield ("*" if last in OPEN else key.replace("/", "~1")), key, item
    elif isinstance(value, list):
        for place, item in enumerate(value):
            yield f":{_kind(item)}", place, item


def _kind(item: Json) -> str:
    if isinstance(item, dict):
        kind = item.get("role") or item.get("type")
        return kind if isinstance(kind, str) else ""
    return ""
