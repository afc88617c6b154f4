"""What counts as a loss between a tool's schema and the one that was sent, and which rewrites are none."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.rules.shared.schema_loss import Comparison

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "description": "Where"},
        "mode": {"enum": ["r", "w"]},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["path"],
}


def losses(sent: Any, expected: Any = SCHEMA, **allowed: bool) -> list[str]:
    return [finding.at for finding in Comparison(expected, sent, **allowed).losses("")]


def changed(**properties: Any) -> dict[str, Any]:
    return {**SCHEMA, "properties": {**SCHEMA["properties"], **properties}}


def test_the_same_schema_loses_nothing() -> None:
    assert losses(SCHEMA) == []


@pytest.mark.parametrize(
    ("sent", "at"),
    [
        (None, ""),
        ({**SCHEMA, "required": []}, "/required"),
        ({**SCHEMA, "properties": dict(reversed(SCHEMA["properties"].items()))}, "/properties"),
        (changed(path={"type": "string"}), "/properties/path/description"),
        (changed(mode={"enum": ["r"]}), "/properties/mode/enum"),
        (changed(tags={"type": "array"}), "/properties/tags/items"),
        (changed(path={"type": "integer", "description": "Where"}), "/properties/path/type"),
    ],
)
def test_each_loss_is_found_at_its_place(sent: Any, at: str) -> None:
    assert losses(sent) == [at]


@pytest.mark.parametrize("sent", [None, {"type": "object"}, {"type": "object", "properties": {}}])
def test_no_parameters_may_be_said_in_any_way(sent: Any) -> None:
    assert losses(sent, None) == losses(sent, {"type": "object", "properties": {}}) == []


ALTERNATIVES = {
    "type": "object",
    "properties": {"safe": {"type": "boolean"}},
    "required": ["safe"],
    "anyOf": [{"properties": {"path": {"type": "string"}}, "required": ["path"]}, {"properties": {"url": {}}}],
    "allOf": [{"properties": {"depth": {"type": "integer"}}, "required": ["depth"]}],
}


def test_the_properties_of_alternatives_may_stand_at_the_root() -> None:
    merged = {name: {} for name in ("path", "url")} | {"depth": {"type": "integer"}, "safe": {"type": "boolean"}}
    merged["path"] = {"type": "string"}
    sent = {"type": "object", "properties": merged, "required": ["safe", "depth"]}
    assert losses(sent, ALTERNATIVES) == losses(ALTERNATIVES, ALTERNATIVES) == []
    assert losses({**sent, "required": ["safe"]}, ALTERNATIVES) == ["/required"]
    without = {name: value for name, value in merged.items() if name != "url"}
    assert losses({**sent, "properties": without}, ALTERNATIVES) == ["/properties"]
    assert losses({"type": "object", "properties": ALTERNATIVES["properties"]}, ALTERNATIVES)


def test_strict_mode_may_close_objects_and_require_everything() -> None:
    sent = changed(tags={"type": ["array", "null"], "items": {"type": "string"}})
    sent = {**sent, "required": ["path", "mode", "tags"], "additionalProperties": False}
    assert losses(sent, strict=True) == []
    assert losses(sent) == ["/required", "/properties/tags/type"]


def test_the_gemini_subset_has_its_own_words() -> None:
    expected = {"type": "object", "properties": {"n": {"type": ["integer", "null"]}, "k": {"const": 1}}}
    sent = {"type": "OBJECT", "properties": {"n": {"type": "INTEGER", "nullable": True}, "k": {"enum": ["1"]}}}
    assert losses(sent, expected, subset=True) == []


def test_references_may_be_put_in_place_but_must_lead_somewhere() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}}
    expected = {"type": "object", "properties": {"tree": {"$ref": "#/$defs/node"}}, "$defs": {"node": node}}
    assert losses(expected, expected) == []
    assert losses({"type": "object", "properties": {"tree": node}, "$defs": {"node": node}}, expected) == []
    assert losses({key: expected[key] for key in ("type", "properties")}, expected) == ["/properties/tree"]
