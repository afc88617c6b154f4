"""What may be done wrong at one place of a JSON document. An edit returns its argument where it does not apply."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Final

from conformance.model import Json, compact_json
from conformance.mutants.paths import Container, PathKey, places
from conformance.rules.check import same_json

Edit = Callable[[Json], Json]


class _Mark:
    """Stands for what happens to a member instead of to its value."""


GONE: Final = _Mark()
RENAMED: Final = _Mark()


def drop(value: Json) -> Json:
    """Left out."""
    return GONE


def rename(value: Json) -> Json:
    """Written under another name."""
    return RENAMED


def null(value: Json) -> Json:
    """Written as null."""
    return None


def empty(value: Json) -> Json:
    """Emptied."""
    return type(value)() if isinstance(value, str | list | dict) else value


def in_text(value: Json) -> Json:
    """Written as text: a number in quotes, an object or array as JSON text."""
    return value if isinstance(value, str) or value is None else compact_json(value)


def decoded(value: Json) -> Json:
    """JSON text, written as the object or array that it means."""
    if isinstance(value, str) and value[:1] in ("{", "["):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def encoded_twice(value: Json) -> Json:
    """Text, written as the JSON text of that text."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else value


def in_array(value: Json) -> Json:
    """Put into an array of its own."""
    return [value] if isinstance(value, str | dict) else value


def alone(value: Json) -> Json:
    """An array, written as its first element."""
    return value[0] if isinstance(value, list) and value else value


def first_lost(value: Json) -> Json:
    """An array without its first element."""
    return value[1:] if isinstance(value, list) and len(value) > 1 else value


def last_lost(value: Json) -> Json:
    """An array without its last element."""
    return value[:-1] if isinstance(value, list) and len(value) > 1 else value


def reversed_(value: Json) -> Json:
    """An array backwards."""
    return value[::-1] if isinstance(value, list) else value


def last_doubled(value: Json) -> Json:
    """An array whose last element comes twice."""
    return [*value, value[-1]] if isinstance(value, list) and value else value


def halved(value: Json) -> Json:
    """Text that breaks off in the middle."""
    return value[: len(value) // 2] if isinstance(value, str) else value


def flipped(value: Json) -> Json:
    """The opposite."""
    return not value if isinstance(value, bool) else value


FIELD: Mapping[str, Edit] = {
    "drop": drop,
    "rename": rename,
    "as-text": in_text,
    "flipped": flipped,
}
"""What may go wrong with any field."""

TEXT: Mapping[str, Edit] = {"empty": empty, "halved": halved, "in-array": in_array}
"""What may go wrong with a text."""

OBJECT: Mapping[str, Edit] = {"empty": empty, "in-array": in_array}
"""What may go wrong with an object."""

ARRAY: Mapping[str, Edit] = {
    "empty": empty,
    "alone": alone,
    "first-lost": first_lost,
    "last-lost": last_lost,
    "reversed": reversed_,
    "last-doubled": last_doubled,
}
"""What may go wrong with an array."""

ELEMENT: Mapping[str, Edit] = {"drop": drop, "as-text": in_text}
"""What may go wrong with all elements of a kind."""

SCHEMA: Mapping[str, Edit] = {"drop": drop, "last-lost": last_lost, "halved": halved}
"""What may go wrong with a keyword of a JSON Schema."""

# --- doing it --------------------------------------------------------------------------------------------------------


def changes(edit: Edit, value: Json) -> bool:
    """Whether an edit applies to a value and makes another one of it."""
    edited = edit(value)
    return edited is not value and not same_json(value, edited)


def bend(document: Json, path: str, edit: Edit) -> Json:
    """``document`` with ``edit`` done at every place that ``path`` names, in place."""
    for container, key in places(document, path):
        _put(container, key, edit(_at(container, key)))
    return document


def _at(container: Container, key: PathKey) -> Json:
    return container[key]  # type: ignore[index]


def _put(container: Container, key: PathKey, value: Json) -> None:
    if value is GONE:
        del container[key]  # type: ignore[arg-type]
    elif value is RENAMED:
        if isinstance(container, dict):
            container[f"{key}_"] = container.pop(str(key))
    else:
        container[key] = value  # type: ignore[index]
