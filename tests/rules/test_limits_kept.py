"""Which limits of a tool's schema count as sent: those that stand where they stood, in any form that says the same."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.rules.common.keywords import kept, limits

COUNT = {"type": "integer", "minimum": 1}
TREE = {"type": "object", "properties": {"size": COUNT, "below": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}}
RECURSIVE: dict[str, Any] = {
    "$defs": {"tree": TREE}, "type": "object", "properties": {"root": {"$ref": "#/$defs/tree"}},
}  # fmt: skip


def one(schema: Any) -> Any:
    return {"type": "object", "properties": {"a": schema}}


def lost(expected: Any, sent: Any, *, subset: bool = False) -> list[str]:
    return [item.at for item in kept(expected, sent, "", limits(subset=subset)) if item is not None]


@pytest.mark.parametrize(
    "sent",
    [
        COUNT,
        {"anyOf": [COUNT, {"type": "null"}]},
        {"type": "integer", "description": "How many (minimum: 1)"},
        {"type": "integer", "minimum": "1"},
    ],
)
def test_a_limit_may_be_said_in_other_forms(sent: Any) -> None:
    assert lost(one(COUNT), one(sent)) == []


GONE = ({"type": "integer"}, {"type": "integer", "minimum": 2}, {"anyOf": [{"type": "null"}]})


@pytest.mark.parametrize("sent", GONE)
def test_a_limit_that_is_gone_or_another_is_told(sent: Any) -> None:
    assert lost(one(COUNT), one(sent)) == ["/properties/a/minimum"]


def test_limits_inside_of_lists_alternatives_and_definitions() -> None:
    deep = one({"anyOf": [{"type": "array", "items": COUNT}, {"type": "null"}]})
    assert lost(deep, one({"anyOf": [{"type": "array", "items": {}}, {"type": "null"}]})) == [
        "/properties/a/anyOf/0/items/minimum"
    ]
    bare = {**RECURSIVE, "$defs": {"tree": {**TREE, "properties": {**TREE["properties"], "size": {"type": "integer"}}}}}
    assert lost(RECURSIVE, bare) == ["/properties/root/properties/size/minimum"]


def test_a_schema_that_refers_to_itself_has_an_end() -> None:
    assert lost(RECURSIVE, RECURSIVE) == []


def test_what_geminis_own_schemas_do_not_have_is_not_asked_of_them() -> None:
    pattern = {"type": "string", "pattern": "^a$"}
    assert lost(one(pattern), one({"type": "string"})) == ["/properties/a/pattern"]
    assert lost(one(pattern), one({"type": "string"}), subset=True) == []
