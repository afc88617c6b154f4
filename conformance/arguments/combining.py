"""Schemas that hold together, as one schema without references and without a choice.

What cannot be said in one schema (two patterns, two things that must not be) is left to the validator, which sees the
schemas as they were.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from conformance.arguments.language import ROOT
from conformance.model import Json

SchemaObject = Mapping[str, Json]
BranchCounter = Callable[[], None]
"""Is called for each schema that is looked at: who asks may count them, and raise where it takes too long."""

MOST_FOLLOWED = 40
"""How many references in a row are followed."""


class Unknown(Exception):  # noqa: N818 - no fault: a reference that leads nowhere
    """A reference that leads to nothing that is here."""


def followed(root: Json, reference: str) -> Json:
    """What a reference leads to. Raises `Unknown`."""
    start, _, path = reference.partition("#")
    if start != ROOT or (path and not path.startswith("/")):
        raise Unknown(reference)
    found = root
    for part in path.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        try:
            found = found[int(name)] if isinstance(found, list) else found[name]
        except (LookupError, TypeError, ValueError):
            raise Unknown(reference) from None
    return found


def branches(root: Json, schema: Json, step: BranchCounter, depth: int = 0) -> Iterator[SchemaObject]:
    """The schemas of which one must hold, without references and choices. Raises `Unknown`, and what ``step`` does."""
    step()
    if schema is True:
        yield {}
    if not isinstance(schema, Mapping) or depth > MOST_FOLLOWED:
        return
    for word, split in _SPLIT.items():
        if word in schema:
            rest = {key: value for key, value in schema.items() if key not in (word, *_TOGETHER.get(word, ()))}
            for others in split(root, schema):
                yield from _all_of(root, [rest, *others], step, depth + 1)
            return
    yield schema


def _all_of(root: Json, schemas: list[Json], step: BranchCounter, depth: int) -> Iterator[SchemaObject]:
    if len(schemas) == 1:
        yield from branches(root, schemas[0], step, depth)
        return
    for one in branches(root, schemas[0], step, depth):
        for other in _all_of(root, schemas[1:], step, depth):
            both = combined(one, other)
            if both is not None:
                yield both


def _referenced(root: Json, schema: SchemaObject) -> Iterator[list[Json]]:
    yield [followed(root, str(schema["$ref"]))]


def _all(root: Json, schema: SchemaObject) -> Iterator[list[Json]]:
    if isinstance(schema["allOf"], list):
        yield schema["allOf"]


def _one_of(word: str) -> Callable[[Json, SchemaObject], Iterator[list[Json]]]:
    def split(root: Json, schema: SchemaObject) -> Iterator[list[Json]]:
        if isinstance(schema[word], list):
            yield from ([option] for option in schema[word])

    return split


def _conditional(root: Json, schema: SchemaObject) -> Iterator[list[Json]]:
    yield [schema["if"], schema.get("then", True)]
    yield [schema.get("else", True)]
    yield [schema.get("then", True)]


_TOGETHER: Mapping[str, tuple[str, ...]] = {"if": ("then", "else")}
_SPLIT: Mapping[str, Callable[[Json, SchemaObject], Iterator[list[Json]]]] = {
    "$ref": _referenced, "allOf": _all, "anyOf": _one_of("anyOf"), "oneOf": _one_of("oneOf"), "if": _conditional,
}  # fmt: skip


# --- two schemas as one ----------------------------------------------------------------------------------------------


def combined(one: SchemaObject, other: SchemaObject) -> SchemaObject | None:
    """A schema for what fits both; ``None`` where nothing can."""
    both = {**other, **one}
    for key in one.keys() & other.keys():
        if (join := _JOIN.get(key)) is not None:
            both[key] = join(one[key], other[key])
            if both[key] is None:
                return None
    if "properties" in both and not _closed_alike(one, other):
        both["properties"] = {
            name: both["properties"][name] for name in both["properties"] if _lets(one, name) and _lets(other, name)
        }
    return both


def _closed_alike(one: SchemaObject, other: SchemaObject) -> bool:
    return one.get("additionalProperties") is not False and other.get("additionalProperties") is not False


def _lets(schema: SchemaObject, name: str) -> bool:
    """Whether a property may be there, as far as its name alone says."""
    open_ = schema.get("additionalProperties") is not False or bool(schema.get("patternProperties"))
    return open_ or name in (schema.get("properties") or {})


def _types(one: Json, other: Json) -> Json:
    mine, yours = ([kind] if isinstance(kind, str) else list(kind) for kind in (one, other))
    both = [kind for kind in mine if kind in yours or (kind == "integer" and "number" in yours)]
    both += [kind for kind in yours if kind == "integer" and "number" in mine and kind not in both]
    return both or None


def _allowed(one: Json, other: Json) -> Json:
    return [item for item in one if item in other] or None


def _both(one: Json, other: Json) -> Json:
    return {"allOf": [one, other]}


def _each(one: Mapping[str, Json], other: Mapping[str, Json]) -> Json:
    return {**one, **{name: _both(one[name], item) if name in one else item for name, item in other.items()}}


def _multiple(one: Json, other: Json) -> Json:
    return math.lcm(one, other) if isinstance(one, int) and isinstance(other, int) else max(one, other)


def _united(one: Json, other: Json) -> Json:
    return [*one, *(name for name in other if name not in one)]


_JOIN: Mapping[str, Callable[[Any, Any], Json]] = {
    "type": _types, "enum": _allowed,
    "required": _united, "properties": _each, "patternProperties": _each, "multipleOf": _multiple,
    "items": _both, "additionalProperties": _both, "propertyNames": _both, "contains": _both,
    **dict.fromkeys(("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"), max),
    **dict.fromkeys(("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"), min),
}  # fmt: skip
