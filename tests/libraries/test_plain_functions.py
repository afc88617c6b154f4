"""Tools as plain functions: which can be written so, and that a library derives the schema that was meant."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from conformance.adapters.libraries.plain_functions import is_plain, new_function
from conformance.model import Tool

PATH = {"type": "string", "description": "The absolute path"}
READ = {"type": "object", "properties": {"limit": {"type": "integer"}, "path": PATH}, "required": ["path"]}


@pytest.mark.parametrize(
    ("parameters", "plain"),
    [
        (None, True),
        (READ, True),
        ({"properties": {"rows": {"type": "array", "items": {"type": "number"}}}}, True),
        ({"properties": {"filter": {"type": "object"}}}, True),
        ({"properties": {"unit": {"type": "string", "enum": ["c", "f"]}}}, False),
        ({"properties": {"rows": {"type": "array"}}}, False),
        ({"properties": {"time": {"type": ["string", "null"]}}}, False),
        ({"properties": {"not a name": PATH}}, False),
        ({"properties": {}, "additionalProperties": False}, False),
    ],
)
def test_a_tool_is_a_function_where_a_signature_says_all(parameters: Any, plain: bool) -> None:
    assert is_plain(Tool("read_file", "Reads.", parameters)) is plain


def made(**options: Any) -> tuple[Any, list[dict[str, Any]]]:
    called: list[dict[str, Any]] = []
    return new_function(called.append, "read_file", "Reads.", READ, **options), called


def test_what_is_required_comes_first_and_the_rest_has_a_default() -> None:
    function, _ = made()
    assert function.__name__ == "read_file"
    assert [(one.name, one.default) for one in inspect.signature(function).parameters.values()] == [
        ("path", inspect.Parameter.empty),
        ("limit", None),
    ]


def test_a_library_derives_the_schema_that_was_meant() -> None:
    from pydantic import create_model

    function, _ = made()
    fields: Any = {
        one.name: (one.annotation, ... if one.default is one.empty else one.default)
        for one in inspect.signature(function).parameters.values()
    }
    schema = create_model("read_file", **fields).model_json_schema()
    assert schema["required"] == ["path"]
    assert {name: said["type"] for name, said in schema["properties"].items()} == {"path": "string", "limit": "integer"}
    assert schema["properties"]["path"]["description"] == PATH["description"]


@pytest.mark.parametrize(
    ("documented", "docstring"), [(False, "Reads."), (True, "Reads.\n\nArgs:\n    path: The absolute path")]
)
def test_parameters_are_described_by_annotations_or_by_the_docstring(documented: bool, docstring: str) -> None:
    assert made(documented=documented)[0].__doc__ == docstring


@pytest.mark.parametrize(
    ("given", "arguments"), [({"path": "/a"}, {"path": "/a"}), ({"path": "/a", "limit": None}, {"path": "/a"})]
)
def test_a_tool_is_given_what_the_model_said_alone(given: dict[str, Any], arguments: dict[str, Any]) -> None:
    function, called = made()
    function(**given)
    function(*given.values())
    assert called == [arguments, arguments]
