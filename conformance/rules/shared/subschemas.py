"""Every schema inside a JSON Schema, with its place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from conformance.model import Json
from conformance.rules.check import Finding, Verdicts, holds
from conformance.wires.facts import items, obj, pointer

ONE = ("items", "additionalProperties", "not")
MANY = ("anyOf", "oneOf", "allOf", "prefixItems")
NAMED = ("properties", "$defs", "definitions", "patternProperties")


def subschemas(schema: Json, at: str) -> Iterator[tuple[str, Mapping[str, Json]]]:
    """``schema``, which stands at ``at``, and every schema inside it, as (pointer, schema).

    A loop, because a hostile document may be deep.
    """
    pending = [(at, schema)]
    while pending:
        here, node = pending.pop()
        if isinstance(node, dict):
            yield here, node
            pending += reversed(list(_inside(here, node)))


def _inside(at: str, node: Mapping[str, Json]) -> Iterator[tuple[str, Json]]:
    for word in ONE:
        yield f"{at}/{word}", node.get(word)
    for word in MANY:
        value = node.get(word)
        for place, item in enumerate(value if isinstance(value, list) else []):
            yield f"{at}/{word}/{place}", item
    for word in NAMED:
        value = node.get(word)
        for name, item in (value if isinstance(value, dict) else {}).items():
            yield f"{at}/{word}{pointer(name)}", item


def is_type(node: Mapping[str, Json], name: str) -> bool:
    """Whether a schema's ``type`` is ``name``, or a list of types with it."""
    kind = node.get("type")
    return kind == name or (isinstance(kind, list) and name in kind)


def closed_objects(schema: Json, at: str) -> Verdicts:
    """Every object in a strict schema: whether it is closed and requires all its properties."""
    for here, node in subschemas(schema, at):
        if is_type(node, "object") or "properties" in node:
            yield _closed(here, node)


def _closed(at: str, node: Mapping[str, Json]) -> Finding | None:
    if node.get("additionalProperties") is not False:
        return Finding(f"{at}/additionalProperties", False, node.get("additionalProperties"))
    names = list(obj(node.get("properties")))
    required = {name for _, name in items(node.get("required")) if isinstance(name, str)}
    return holds(all(name in required for name in names), f"{at}/required", names, node.get("required"))
