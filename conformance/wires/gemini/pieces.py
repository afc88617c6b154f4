"""Gemini generateContent, provider half: a call whose arguments come value by value, as Vertex AI streams them.

The first fragment names the call, each later one carries a piece of a value with its JSONPath, and the last one is
``{}``. A text comes in several pieces.

Source: ``google.genai.types.FunctionCall.partial_args`` and ``PartialArg``; recorded Vertex AI streams.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from conformance.model import Json
from conformance.wires.base import fragments

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def call_fragments(part: dict[str, Json]) -> Iterator[dict[str, Json]]:
    """The parts in which a stream carries a part with a call. What has no path of its own comes whole."""
    call = part["functionCall"]
    if any(value in ({}, []) for path, value in _values("$", call.get("args") or {}) if path != "$"):
        yield part
        return
    opening = {name: value for name, value in call.items() if name != "args"}
    yield {**part, "functionCall": {**opening, "willContinue": True}}
    for path, value in _values("$", call["args"]) if call.get("args") else ():
        for piece in _pieces(value):
            yield {"functionCall": {"partialArgs": [{"jsonPath": path, **piece}], "willContinue": True}}
    yield {"functionCall": {}}


def _values(path: str, value: Json) -> Iterator[tuple[str, Json]]:
    """All values that hold no others, with their paths, in order."""
    if isinstance(value, dict) and value:
        for name, inner in value.items():
            quoted = name.replace("\\", "\\\\").replace("'", "\\'")
            yield from _values(f"{path}.{name}" if _PLAIN.fullmatch(name) else f"{path}['{quoted}']", inner)
    elif isinstance(value, list) and value:
        for place, inner in enumerate(value):
            yield from _values(f"{path}[{place}]", inner)
    else:
        yield path, value


def _pieces(value: Json) -> Iterator[dict[str, Json]]:
    if value is None:
        yield {"nullValue": "NULL_VALUE"}
    elif isinstance(value, bool):
        yield {"boolValue": value}
    elif isinstance(value, str):
        *first, last = fragments(value, frozenset())
        yield from ({"stringValue": piece, "willContinue": True} for piece in first)
        yield {"stringValue": last}
    else:
        yield {"numberValue": value}
