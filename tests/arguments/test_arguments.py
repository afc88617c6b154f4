"""Arguments made from schemas: valid for every schema, the same each time, or said not to be found."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from every import each
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from conformance.arguments import ArgumentKind, NoArgumentsError, arguments_for, invalid_arguments

KINDS: tuple[ArgumentKind, ...] = get_args(ArgumentKind)


def thing(properties: Any, *required: str, **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required), **more}


FORMS = ("date-time", "email", "uri", "uuid", "ipv6", "duration")
NODE = thing({"name": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#/$defs/node"}}}, "name")
SCHEMAS: dict[str, dict[str, Any]] = {
    "nothing": {},
    "no properties": thing({}, additionalProperties=False),
    "a reference": {"$ref": "#/$defs/node", "$defs": {"node": NODE}},
    "itself": thing({"again": {"$ref": "#"}}),
    "a reference with more": thing(
        {"a": {"$ref": "#/$defs/a", "maxLength": 3}}, "a", **{"$defs": {"a": {"type": "string"}}},
    ),
    "one of": thing({"a": {"oneOf": [{"type": "integer"}, {"type": "number", "minimum": 2}]}}, "a"),
    "any of, nullable": thing({"a": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]}}, "a"),
    "all of": {
        "allOf": [thing({"a": {"type": "number"}}, "a"), {"properties": {"a": {"type": "integer", "minimum": 7}}}],
    },
    "told apart": {
        "type": "object",
        "oneOf": [
            {"properties": {"kind": {"const": "a"}, "n": {"type": "integer"}}, "required": ["kind", "n"]},
            {"properties": {"kind": {"const": "b"}, "s": {"type": "string"}}, "required": ["kind", "s"]},
        ],
    },
    "a condition": thing(
        {"a": {"type": "boolean"}, "b": {"type": "string"}}, "a",
        **{"if": {"properties": {"a": {"const": True}}}, "then": {"required": ["b"]}},
    ),
    "needs another": thing({"a": {"type": "integer"}, "b": {"type": "integer"}}, "a", dependentRequired={"a": ["b"]}),
    "limits": thing(
        {
            "i": {"type": "integer", "exclusiveMinimum": 3, "maximum": 10, "multipleOf": 5},
            "n": {"type": "number", "minimum": 0.1, "exclusiveMaximum": 0.2},
            "s": {"type": "string", "minLength": 40, "maxLength": 41},
            "l": {"type": "array", "items": {"enum": ["x", "y", "z"]}, "minItems": 3, "uniqueItems": True},
        },
        "i", "n", "s", "l",
    ),
    "patterns": thing(
        {
            "a": {"type": "string", "pattern": r"^[A-Z]{3}-\d{4,6}$"},
            "b": {"type": "string", "pattern": r"^(\d{4})/(0[1-9]|1[0-2])$"},
            "c": {"type": "string", "pattern": "^[^/]+/[^/]+$", "minLength": 30},
        },
        "a", "b", "c",
    ),
    "formats": thing(
        {name: {"type": "string", "format": name} for name in FORMS}, *FORMS,
    ),
    "a map": {"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 3},
    "names": {
        "type": "object", "patternProperties": {"^x-[a-z]+$": {"type": "boolean"}}, "additionalProperties": False,
        "minProperties": 1,
    },
    "a tuple": thing(
        {"t": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": False}}, "t",
    ),
    "contains": thing({"l": {"type": "array", "contains": {"const": 7}, "items": {"type": "integer"}}}, "l"),
    "a union": thing({"u": {"type": ["string", "null", "integer"]}}, "u"),
    "not": thing({"n": {"type": "string", "not": {"enum": ["text", "another text"]}}}, "n"),
    "strict": thing({"a": {"type": ["string", "null"]}}, "a", additionalProperties=False),
}  # fmt: skip


@each("kind", KINDS)
@each("name", SCHEMAS)
def test_arguments_are_valid(name: str, kind: ArgumentKind) -> None:
    made = arguments_for(SCHEMAS[name], kind)
    Draft202012Validator(SCHEMAS[name]).validate(made)
    assert made == arguments_for(SCHEMAS[name], kind)


def test_what_the_kinds_are() -> None:
    schema = thing({"q": {"type": "string"}, "n": {"type": "integer", "minimum": 1, "maximum": 9}}, "q")
    assert arguments_for(schema, "minimal") == {"q": "text"}
    assert arguments_for(schema, "full").keys() == {"q", "n"}
    odd = arguments_for(schema, "odd")
    assert odd["n"] == 9
    assert '"' in odd["q"]
    assert "\\" in odd["q"]
    assert arguments_for(None, "odd") == {}


@pytest.mark.parametrize("pattern", [r"^\p{Lu}[\p{Ll}_]+$", r"^(?<year>\d{4})-\d$", r"^\u0041[^\u0042]$"])
def test_patterns_that_are_not_pythons(pattern: str) -> None:
    assert arguments_for(thing({"a": {"type": "string", "pattern": pattern}}, "a"), "full")["a"]


def test_a_language_of_the_providers_own() -> None:
    schema = {
        "type": "OBJECT", "required": ["a", "b", "c"],
        "properties": {
            "a": {"type": "STRING", "nullable": True},
            "b": {"type": "ARRAY", "minItems": "2", "items": {"type": "NUMBER"}},
            "c": {"type": "STRING", "format": "enum", "enum": ["X", "Y"]},
        },
    }  # fmt: skip
    assert arguments_for(schema, "odd", own_language=True)["a"] is None
    made = arguments_for(schema, "minimal", own_language=True)
    assert (type(made["a"]), len(made["b"]), made["c"]) == (str, 2, "X")


CHOICES = [{"anyOf": [{"type": "string"}, {"type": "integer"}]}] * 40
"""More ways to put them together than can be tried."""


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ("object", "is no object"),
        ({"type": "array"}, "allows no arguments"),
        ({"type": "nonsense"}, "cannot be used"),
        (thing({"n": {"minimum": 3, "maximum": 2, "type": "integer"}}, "n"), "allows no arguments"),
        (thing({"n": False}, "n"), "allows no arguments"),
        (thing({"n": {"$ref": "#/$defs/none"}}, "n"), "cannot be used"),
        (thing({"n": {"$ref": "https://example.org/schema.json"}}, "n"), "is not fetched"),
        (thing({"n": {"$ref": "#"}}, "n"), "allows no arguments"),
        (thing({"s": {"type": "string", "minLength": 10**9}}, "s"), "allows no arguments"),
        (thing({"s": {"allOf": [*CHOICES, {"type": "boolean"}]}}, "s"), "takes too long"),
        (thing({"s": {"type": "string", "pattern": "(a{1000}){1000}"}}, "s"), "cannot be used"),
    ],
)
def test_what_nothing_fits_is_said(schema: Any, why: str) -> None:
    with pytest.raises(NoArgumentsError, match=why):
        arguments_for(schema, "minimal")


@pytest.mark.parametrize("name", [name for name in SCHEMAS if name not in ("nothing", "itself")])
def test_invalid_arguments_are_invalid(name: str) -> None:
    assert not Draft202012Validator(SCHEMAS[name]).is_valid(invalid_arguments(SCHEMAS[name]))


# --- any schema ------------------------------------------------------------------------------------------------------

NAMES = st.sampled_from(["a", "b", "c"])
LIMIT = st.none() | st.integers(-5, 30)


def _known(**members: Any) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value is not None}


STRINGS = st.builds(
    lambda least, most, pattern, form: _known(
        type="string", minLength=least, maxLength=most, pattern=pattern, format=form
    ),
    st.none() | st.integers(0, 20), st.none() | st.integers(0, 30),
    st.sampled_from([None, None, "^[a-z]+$", r"^\d{3}-\d{4}$", "^(foo|bar)+$", "^.{3,9}$", r"^(?=.*\d).+$"]),
    st.sampled_from([None, None, "date", "email", "uri", "nonsense"]),
)  # fmt: skip
NUMBERS = st.builds(
    lambda kind, low, high, step: _known(type=kind, minimum=low, exclusiveMaximum=high, multipleOf=step),
    st.sampled_from(["integer", "number"]), LIMIT, LIMIT, st.sampled_from([None, 2, 3, 0.5]),
)  # fmt: skip
LEAVES = st.one_of(
    STRINGS, NUMBERS, st.sampled_from([{"type": "boolean"}, {"type": "null"}, {}, True, False, {"$ref": "#/$defs/d"}]),
    st.lists(st.none() | st.booleans() | st.integers(0, 3) | st.text(max_size=3), min_size=1, max_size=3).map(
        lambda values: {"enum": values}
    ),
)  # fmt: skip


def _larger(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(
        st.builds(
            lambda known, required, more: thing(known, *sorted(required), **_known(additionalProperties=more)),
            st.dictionaries(NAMES, inner, max_size=3), st.sets(NAMES, max_size=2), st.none() | st.booleans() | inner,
        ),
        st.builds(
            lambda items, least, apart: {"type": "array", "items": items, "minItems": least, "uniqueItems": apart},
            inner, st.integers(0, 3), st.booleans(),
        ),
        st.builds(
            lambda word, several: {word: several},
            st.sampled_from(["anyOf", "oneOf", "allOf"]), st.lists(inner, min_size=1, max_size=3),
        ),
        inner.map(lambda one: {"not": one}),
        st.builds(lambda one, two, three: {"if": one, "then": two, "else": three}, inner, inner, inner),
    )  # fmt: skip


ANY_SCHEMA = st.builds(
    lambda known, required, other: thing(known, *sorted(required & known.keys()), **{"$defs": {"d": other}}),
    st.dictionaries(NAMES, st.recursive(LEAVES, _larger, max_leaves=6), max_size=3), st.sets(NAMES),
    LEAVES.filter(lambda one: one != {"$ref": "#/$defs/d"}),
)  # fmt: skip


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(ANY_SCHEMA, st.sampled_from(KINDS))
def test_arguments_for_any_schema_are_valid_or_said_not_to_be_found(schema: dict[str, Any], kind: ArgumentKind) -> None:
    try:
        made = arguments_for(schema, kind)
    except NoArgumentsError:
        return
    Draft202012Validator(schema).validate(made)
