"""Chat Completions: the schemas of tools."""

from __future__ import annotations

from collections.abc import Mapping

from conformance.model import Json
from conformance.rules.chat.documents import declared_tools
from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.rules.shared.subschemas import closed_objects, is_type, subschemas
from conformance.transcript import Exchange


def _functions(x: Exchange) -> list[tuple[str, Mapping[str, Json]]]:
    """The function objects of the tools that have one."""
    tools = [(f"{at}/function", tool.get("function")) for at, tool in declared_tools(x)]
    return [(at, function) for at, function in tools if isinstance(function, dict)]


@check("chat.declare.parameters-is-object-schema")
def parameters_is_object_schema(x: Exchange) -> Verdicts:
    for at, function in _functions(x):
        if "parameters" not in function:
            continue
        schema = function["parameters"]
        if not isinstance(schema, dict):
            yield Finding(f"{at}/parameters", "an object schema, or no parameters at all", schema)
            continue
        typed = schema.get("type") == "object" or (not schema and x.card.takes.empty_schemas)
        yield holds(typed, f"{at}/parameters/type", "object", schema.get("type"))
        for here, node in subschemas(schema, f"{at}/parameters"):
            if is_type(node, "array"):
                yield holds("items" in node or "prefixItems" in node, here, "an array schema with items", node)


@check("chat.declare.schema-under-parameters")
def schema_under_parameters(x: Exchange) -> Verdicts:
    for at, function in _functions(x):
        stray = [name for name, value in function.items() if _looks_like_parameters(value)]
        if "parameters" in function or not stray:
            yield None
        else:
            yield Finding(f"{at}/{stray[0]}", "the schema under parameters", stray[0])


def _looks_like_parameters(value: Json) -> bool:
    return isinstance(value, dict) and (value.get("type") == "object" or isinstance(value.get("properties"), dict))


@check("chat.declare.strict-schema-closed")
def strict_schema_closed(x: Exchange) -> Verdicts:
    for at, function in _functions(x):
        if function.get("strict") is True and function.get("parameters") is None:
            yield Finding(f"{at}/parameters", "an object that is closed", None)
        elif function.get("strict") is True:
            yield from closed_objects(function.get("parameters"), f"{at}/parameters")
