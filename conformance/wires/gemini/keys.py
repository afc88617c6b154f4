"""Both spellings of a field. Google's JSON is protobuf JSON: it writes camelCase and reads snake_case as well.

Source: protobuf JSON mapping ("parsers accept both the lowerCamelCase name and the original proto field name").
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from conformance.model import Json
from conformance.wires.facts import items, obj


def field_spelling(holder: Mapping[str, Json], name: str) -> str:
    """The spelling of the field ``name`` (given in camelCase) that ``holder`` uses; camelCase when it has none."""
    if name in holder:
        return name
    snake = _in_snake_case(name)
    return snake if snake in holder else name


@cache
def _in_snake_case(name: str) -> str:
    return re.sub(r"[A-Z]", lambda letter: "_" + letter[0].lower(), name)


@cache
def camel(name: str) -> str:
    """A name in snake_case as the camelCase that it means; others stay as they are."""
    return re.sub(r"_([a-z])", lambda found: found[1].upper(), name)


def get(holder: Json, name: str) -> Json:
    """The value of the field ``name`` in either spelling; ``None`` when it is absent or ``holder`` is no object."""
    fields = obj(holder)
    return fields.get(field_spelling(fields, name))


def field_elements(at: str, holder: Json, name: str) -> list[tuple[str, Json]]:
    """The elements of the repeated field ``name``, in either spelling, each with its pointer. ``holder`` is at ``at``.

    A lone object counts as a list of one: so Google reads it (recorded requests with ``tools: {...}`` were accepted,
    and the documented example of a system instruction has ``parts: {...}``).
    """
    fields = obj(holder)
    key = field_spelling(fields, name)
    value = fields.get(key)
    if isinstance(value, dict):
        return [(f"{at}/{key}", value)]
    return [(f"{at}/{key}/{place}", item) for place, item in items(value)]
