"""Names of forms: from a schema, and from documents."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.coverage.forms import form_kind, forms_of, parents, side_of
from conformance.coverage.walk import FormWalker
from conformance.schemas import schema

STEP = {
    "type": "object",
    "properties": {"kind": {"enum": ["a", "b"]}, "inner": {"$ref": "#/$defs/Step"}},
    "required": ["kind"],
}
TEXT = {"type": "object", "properties": {"type": {"const": "text"}, "text": {"type": "string"}}, "required": ["type"]}
CALL = {
    "type": "object",
    "properties": {"type": {"const": "call"}, "args": {"type": "object", "additionalProperties": True}},
    "required": ["type", "args"],
}


def dispatch(**branches: Any) -> dict[str, Any]:
    """A union by ``type``, as the generated schemas have it."""
    return {
        "type": "object",
        "required": ["type"],
        "properties": {"type": {"enum": list(branches)}},
        "allOf": [
            {"if": {"properties": {"type": {"const": name}}, "required": ["type"]}, "then": then}
            for name, then in branches.items()
        ],
    }


CHOICE = {
    "type": ["string", "array", "null"],
    "allOf": [{"if": {"type": "array"}, "then": {"type": "array", "items": dispatch(text=TEXT, call=CALL)}}],
}


def toy(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "$defs": {"Step": STEP}}


FORMS: dict[str, tuple[Any, set[str]]] = {
    "a member": ({"type": "string"}, {"x.m"}),
    "a closed set": ({"enum": ["a", "b"], "type": "string"}, {"x.m", "x.m = a", "x.m = b"}),
    "a constant": ({"const": 5, "type": "integer"}, {"x.m", "x.m = 5"}),
    "null": ({"type": ["string", "null"]}, {"x.m", "x.m = null"}),
    "a map": ({"type": "object", "additionalProperties": {"type": "string"}}, {"x.m", "x.m.*"}),
    "an open object": ({"type": "object", "additionalProperties": True}, {"x.m"}),
    "a list": ({"type": "array", "items": {"type": "string"}}, {"x.m", "x.m[]"}),
    "a type that holds itself": (
        {"$ref": "#/$defs/Step"},
        {"x.m", "x.m.kind", "x.m.kind = a", "x.m.kind = b", "x.m.inner", "x.m.inner absent"},
    ),
    "a union": (
        dispatch(text=TEXT, call=CALL),
        {"x.m", "x.m(type=text)", "x.m(type=text).type", "x.m(type=text).text", "x.m(type=text).text absent",
         "x.m(type=call)", "x.m(type=call).type", "x.m(type=call).args"},
    ),
    "text, or a list of a union": (
        CHOICE,
        {"x.m", "x.m = null", "x.m(string)", "x.m(array)", "x.m[]", "x.m[type=text]", "x.m[type=text].type",
         "x.m[type=text].text", "x.m[type=text].text absent", "x.m[type=call]", "x.m[type=call].type",
         "x.m[type=call].args"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", FORMS)
def test_the_forms_of_a_schema(what: str) -> None:
    inner, forms = FORMS[what]
    assert forms_of(toy(m=inner), "x") == forms


DOCUMENTS: dict[str, tuple[Any, Any, set[str]]] = {
    "text": (CHOICE, "hello", {"x.m", "x.m(string)"}),
    "null": (CHOICE, None, {"x.m", "x.m = null"}),
    "no items": (CHOICE, [], {"x.m", "x.m(array)"}),
    "items": (
        CHOICE,
        [{"type": "call", "args": {"secret": {"type": "x"}}}, {"type": "text"}],
        {"x.m", "x.m(array)", "x.m[]", "x.m[type=call]", "x.m[type=call].type", "x.m[type=call].args",
         "x.m[type=text]", "x.m[type=text].type", "x.m[type=text].text absent"},
    ),
    "an unknown branch": (
        CHOICE,
        [{"type": "image", "url": "u", "input": {"a": 1}}],
        {"x.m", "x.m(array)", "x.m[]", "x.m[type=image]", "x.m[type=image].type", "x.m[type=image].url",
         "x.m[type=image].input"},
    ),
    "a value of the set": ({"enum": ["a", "b"], "type": "string"}, "a", {"x.m", "x.m = a"}),
    "another value": ({"enum": ["a", "b"], "type": "string"}, "c", {"x.m"}),
    "a type that holds itself": (
        {"$ref": "#/$defs/Step"},
        {"kind": "a", "inner": {"kind": "b"}},
        {"x.m", "x.m.kind", "x.m.kind = a", "x.m.inner"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", DOCUMENTS)
def test_the_forms_of_a_document(what: str) -> None:
    inner, value, forms = DOCUMENTS[what]
    found = {one.form for one in FormWalker(toy(m=inner)).occurrences({"m": value}, "x")}
    assert found == forms
    if "unknown" not in what:
        assert found <= forms_of(toy(m=inner), "x")


def test_without_a_schema_the_document_names_itself() -> None:
    document = {"role": "tool", "n": [1], "Pi day": 2, "arguments": {"city": "Oslo"}}
    found = {one.form for one in FormWalker(None).occurrences(document, "x")}
    assert found == {"x(role=tool)", *(f"x(role=tool).{name}" for name in ("role", "n", "n[]", "arguments"))}


def test_a_form_knows_where_it_stands() -> None:
    found = list(FormWalker(toy(m=CHOICE)).occurrences({"m": [{"type": "text"}, {"type": "text"}]}, "x"))
    assert [one.path for one in found if one.form == "x.m[type=text]"] == [("m", 0), ("m", 1)]
    assert {tuple(one.options) for one in found if one.form == "x.m[type=text]"} == {("call",)}


@pytest.mark.parametrize(
    ("form", "kind", "above"),
    [
        ("request.a[type=b.c].d", "member", ["request.a[type=b.c]", "request.a", "request"]),
        ("request.a[]", "member", ["request.a", "request"]),
        ("request.a(string)", "branch", ["request.a", "request"]),
        ("request.a = x.y", "value", ["request.a", "request"]),
        ("request.a = null", "null", ["request.a", "request"]),
        ("request.a absent", "absent", ["request"]),
        ("stream: a → b", "order", []),
    ],
)
def test_what_a_name_says(form: str, kind: str, above: list[str]) -> None:
    assert form_kind(form) == kind
    assert list(parents(form)) == above
    assert side_of(form) == form[: len(side_of(form))] and side_of(form) in ("request", "stream")


@pytest.mark.parametrize("name", ["openai-chat.request", "openai-chat.stream", "ollama.response", "gemini.request"])
def test_the_names_of_a_format_are_few_enough_to_read(name: str) -> None:
    assert 0 < len(forms_of(schema(f"wires/{name}"), name.partition(".")[2])) < 2000
