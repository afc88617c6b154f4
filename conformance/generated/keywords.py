"""Keywords of JSON Schema that providers' documentation names, as schemas of tools (``keywords.yaml``)."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Any

from conformance.model import Json

POINT: Json = {"type": "object", "properties": {"x": {"type": "number"}, "y": {"type": "number"}}, "required": ["x"]}
"""What references lead to."""
Keywords = dict[str, dict[str, dict[str, Any]]]


@cache
def keywords() -> Keywords:
    """The keywords by vocabulary: subschemas ``as`` given, and ``empty``."""
    from conformance.documents import read_yaml

    with resources.as_file(resources.files(__package__) / "keywords.yaml") as path:
        found: Keywords = read_yaml(path)
    return found


VOCABULARIES = tuple(keywords())


def subschemas(vocabulary: str, *, empty: bool) -> dict[str, Json]:
    """A subschema for each keyword of the vocabulary."""
    way = "empty" if empty else "as"
    return {f"with_{name.strip('$')}": one.get(way, one["as"]) for name, one in keywords()[vocabulary].items()}


def placed(inner: dict[str, Json], place: str) -> dict[str, Json]:
    """The subschemas as properties at one place of a tool's parameters."""
    within: Json = {"type": "object", "properties": inner}
    match place:
        case "nested":
            return {"nested": within}
        case "items":
            return {"list": {"type": "array", "items": within}}
        case "union":
            return {"either": {"anyOf": [{"type": "string"}, within]}}
        case "reference":
            return {"referred": {"$ref": "#/$defs/inner"}}
    return inner


def definitions(inner: dict[str, Json], place: str) -> dict[str, Json]:
    """The definitions that the placed subschemas refer to."""
    point = {"point": POINT} if any("$ref" in str(one) for one in inner.values()) else {}
    return point | ({"inner": {"type": "object", "properties": inner}} if place == "reference" else {})
