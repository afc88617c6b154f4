"""How Google reads JSON: as the JSON form of protocol buffers, which takes more than one spelling of a message.

``null`` is no value in any field, and an enumeration is written by name, in any case, or by number.
Source: https://protobuf.dev/programming-guides/json/ ("null is an accepted value for all field types"; enums: "parsers
accept both enum names and integer values"). Lower-case names are recorded with 2xx (c40edcb66bd0fe03, 15 more).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from conformance.model import Json
from conformance.wires.gemini.keys import camel

VALUES = frozenset({"args", "response", "parametersJsonSchema", "responseJsonSchema", "default", "example"})
"""Fields that hold a value of the application's own, in which ``null`` is a value as well."""

WORDS = frozenset({"default", "example"})
"""Fields of a schema in which ``null`` itself says something."""

MAPS = frozenset({"properties", "defs", "$defs", "labels"})
"""Fields whose keys are names."""

MODE_NAMES = ("MODE_UNSPECIFIED", "AUTO", "ANY", "NONE", "VALIDATED")
"""``FunctionCallingConfig.Mode`` of google.ai.generativelanguage, by number."""

TYPES = ("TYPE_UNSPECIFIED", "STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL")
"""``Type`` of google.ai.generativelanguage, by number."""


def enum_name(value: Json, names: Sequence[str]) -> Json:
    """The name that an enumeration's value means; the value itself if it is none of them."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(names):
        return names[value]
    if isinstance(value, str) and value.upper() in names:
        return value.upper()
    return value


def without_nulls(document: Json) -> Json:
    """The document without fields that are ``null``. Values of the application's own stay as they are.

    The document itself is changed, in a loop: a hostile one may be deep.
    """
    pending: list[Json] = [document]
    while pending:
        node = pending.pop()
        if isinstance(node, list):
            pending += node
        elif isinstance(node, dict):
            pending += _fields(cast(dict[str, Json], node))
    return document


def _fields(message: dict[str, Json]) -> list[Json]:
    """What is to be looked at in a message, whose null fields go."""
    for name in [name for name, value in message.items() if value is None and camel(name) not in WORDS]:
        del message[name]
    inner: list[Json] = []
    for name, value in message.items():
        if camel(name) in MAPS and isinstance(value, Mapping):
            inner += value.values()
        elif camel(name) not in VALUES:
            inner.append(value)
    return inner
