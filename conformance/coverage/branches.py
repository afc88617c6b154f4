"""What a schema says of one place: the branches that a value may take there, each with its members or items.

The schemas of the wires are dispatches (see ``tools/generate_schemas.py``): ``allOf`` of ``if`` and ``then``, where the
``if`` asks for a JSON type, or for ``type`` or ``role``. Here that becomes a flat list of branches, each with a label.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.model import Json

JsonSchema = Mapping[str, Any]

TELLTALES = ("type", "role")
"""The members by which the branches of a union are told apart, the first that is there."""

NOTHING: JsonSchema = {}


@dataclass(frozen=True, slots=True)
class Branch:
    """One way to be right at a place. ``label`` is ``""`` where there is only one.

    ``types`` are JSON types, none where any may come. ``told`` is the discriminator with its value; the value is
    ``None`` for the branch of those who have no such member. ``rest`` is the schema of members that have no schema of
    their own, and ``refs`` are the names of the types on the way here.
    """

    label: str = ""
    types: frozenset[str] = frozenset()
    told: tuple[str, Json] | None = None
    members: Mapping[str, JsonSchema] = field(default_factory=dict)
    required: frozenset[str] = frozenset()
    rest: JsonSchema | None = None
    items: JsonSchema | None = None
    values: tuple[Json, ...] = ()
    refs: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class SchemaPlace:
    """What may stand at a place: its branches, and whether ``null`` may."""

    branches: tuple[Branch, ...]
    nullable: bool


def place_of(schema: JsonSchema, definitions: Mapping[str, JsonSchema]) -> SchemaPlace:
    """The branches of a schema."""
    return _Reader(definitions).place(schema)


def json_type(value: Json) -> str:
    """The JSON type of a value."""
    if isinstance(value, bool):
        return "boolean"
    names = {dict: "object", list: "array", str: "string", int: "number", float: "number", type(None): "null"}
    return names[type(value)]


@dataclass(frozen=True, slots=True)
class _Reader:
    definitions: Mapping[str, JsonSchema]

    def place(self, schema: JsonSchema) -> SchemaPlace:
        schema, refs = self._followed(schema)
        types = _types(schema)
        branches = tuple(self._branches(schema, types - {"null"}, refs))
        values = schema.get("enum", ())
        return SchemaPlace(branches, "null" in types or None in values)

    def _followed(self, schema: JsonSchema) -> tuple[JsonSchema, frozenset[str]]:
        """The schema behind references, and their names."""
        refs: list[str] = []
        while "$ref" in schema and schema["$ref"] not in refs:
            refs.append(schema["$ref"])
            schema = self.definitions[schema["$ref"].rpartition("/")[2]]
        return schema, frozenset(refs)

    def _branches(self, schema: JsonSchema, types: frozenset[str], refs: frozenset[str]) -> Iterator[Branch]:
        cases = [(case["if"], case["then"]) for case in schema.get("allOf", ()) if "if" in case]
        by_type = {case["type"]: then for case, then in cases if "type" in case}
        by_telltale = [(_told(case), then) for case, then in cases if "type" not in case]
        if by_telltale:
            yield from (self._told_apart(told, then, refs) for told, then in by_telltale)
        elif by_type or len(types) > 1:
            for name in sorted(types | by_type.keys() - {"null"}):
                yield from self._of_type(name, by_type.get(name), refs, alone=len(types) == 1)
        else:
            yield _plain(schema, types, refs)

    def _told_apart(self, told: tuple[str, Json], then: JsonSchema, refs: frozenset[str]) -> Branch:
        schema, more = self._followed(then)
        label = f"{told[0]}={told[1]}" if told[1] is not None else f"no {told[0]}"
        return _plain(schema, frozenset({"object"}), refs | more, label, told)

    def _of_type(self, name: str, then: JsonSchema | None, refs: frozenset[str], *, alone: bool) -> Iterator[Branch]:
        label = "" if alone else name
        if then is None:
            yield Branch(label, frozenset({name}), refs=refs)
            return
        for inner in self.place(then).branches:
            yield Branch(
                inner.label or label, frozenset({name}), inner.told, inner.members, inner.required, inner.rest,
                inner.items, inner.values, refs | inner.refs,
            )  # fmt: skip


def _types(schema: JsonSchema) -> frozenset[str]:
    named = schema.get("type", ())
    names = [named] if isinstance(named, str) else named
    return frozenset("number" if name == "integer" else name for name in names)


def _told(case: JsonSchema) -> tuple[str, Json]:
    """The discriminator and its value that an ``if`` asks for."""
    if "not" in case:
        return case["not"]["required"][0], None
    ((name, asked),) = case["properties"].items()
    return name, asked["const"] if "const" in asked else next(value for value in asked["enum"] if value is not None)


def _plain(
    schema: JsonSchema,
    types: frozenset[str],
    refs: frozenset[str],
    label: str = "",
    told: tuple[str, Json] | None = None,
) -> Branch:
    rest = schema.get("additionalProperties")
    values = tuple(value for value in schema.get("enum", ()) if value is not None)
    return Branch(
        label, types, told, schema.get("properties", NOTHING), frozenset(schema.get("required", ())),
        rest if isinstance(rest, dict) else None, schema.get("items"),
        values or ((schema["const"],) if "const" in schema else ()), refs,
    )  # fmt: skip
