"""Messages: declaring tools."""

from __future__ import annotations

import re

from conformance.rules.anthropic.documents import PlacedObject, block_kind, placed
from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.transcript import Exchange
from conformance.wires.facts import Object, obj

NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")

PROPERTY_KEY = re.compile(r"[a-zA-Z0-9_.-]{1,64}")

LONGEST_NAME_OF_A_CALL = 200
"""OpenAPI ``RequestToolUseBlock.name``: 1 to 200 characters, of any kind."""

OTHER_FORMATS = ("function", "parameters")
"""Keys under which other formats declare a function."""

COMBINATORS = ("oneOf", "anyOf", "allOf")

SEARCHES = ("web_search", "web_fetch")

VERSIONED = re.compile(r"[a-z_]+_20\d{6}")


def _tools(x: Exchange) -> list[PlacedObject]:
    return placed("/tools", obj(x.facts.document).get("tools"))


@check("anthropic.declare.input-schema")
def input_schema(x: Exchange) -> Verdicts:
    for at, tool in _tools(x):
        foreign = [key for key in OTHER_FORMATS if key in tool]
        if foreign or block_kind(tool) == "function":
            yield Finding(at, ["name", "description", "input_schema"], sorted(tool))
        elif tool.get("type") in (None, "custom"):
            yield _well_formed(at, tool)


def _well_formed(at: str, tool: Object) -> Finding | None:
    if not isinstance(tool.get("name"), str):
        return Finding(f"{at}/name", "the name of the tool", tool.get("name"))
    if not isinstance(tool.get("description"), str | None):
        return Finding(f"{at}/description", "text", tool["description"])
    schema = tool.get("input_schema")
    return holds(isinstance(schema, dict), f"{at}/input_schema", "an object schema", schema)


@check("anthropic.declare.property-keys")
def property_keys(x: Exchange) -> Verdicts:
    for tool in x.facts.functions:
        for key in obj(obj(tool.schema).get("properties")):
            place = key.replace("~", "~0").replace("/", "~1")
            right = PROPERTY_KEY.fullmatch(key) is not None
            yield holds(right, f"{tool.schema_at}/properties/{place}", PROPERTY_KEY.pattern, key)


@check("anthropic.declare.schema-type-object")
def schema_type_object(x: Exchange) -> Verdicts:
    for tool in x.facts.functions:
        schema = tool.schema
        if not isinstance(schema, dict):
            continue
        combined = [key for key in COMBINATORS if key in schema]
        for key in combined:
            yield Finding(f"{tool.schema_at}/{key}", "no combination of schemas at the root", schema[key])
        if schema.get("type") != "object":
            yield Finding(f"{tool.schema_at}/type", "object", schema.get("type"))
        elif not combined:
            yield None


@check("anthropic.declare.server-tools-versioned")
def server_tools_versioned(x: Exchange) -> Verdicts:
    own = [tool.builtin for tool in x.intent.tools if tool.builtin is not None] if x.intent is not None else []
    tools = _tools(x)
    for name in own:
        if not any(block_kind(tool).startswith(name) for _, tool in tools):
            at = next((at for at, tool in tools if tool.get("name") == name), "/tools")
            yield Finding(at, {"type": f"{name}_<version>", "name": name}, [block_kind(tool) for _, tool in tools])
    for at, tool in tools:
        if block_kind(tool) not in ("", "custom", "function"):
            yield _server_tool(at, tool)


def _server_tool(at: str, tool: Object) -> Finding | None:
    name = next((name for name in SEARCHES if block_kind(tool).startswith(name)), None)
    if name is not None and not VERSIONED.fullmatch(block_kind(tool)):
        return Finding(f"{at}/type", f"{name}_<version>", tool["type"])
    if name is not None and tool.get("name") != name:
        return Finding(f"{at}/name", name, tool.get("name"))
    return holds("input_schema" not in tool, f"{at}/input_schema", "no schema", tool.get("input_schema"))


@check("anthropic.naming.pattern-128")
def pattern_128(x: Exchange) -> Verdicts:
    for tool in x.facts.functions:
        if isinstance(tool.name, str):
            fits = NAME.fullmatch(tool.name) is not None
            yield holds(fits, f"{tool.at}/name", f"a name that matches ^{NAME.pattern}$", tool.name)
    for call in x.facts.calls:
        if isinstance(call.name, str):
            fits = 0 < len(call.name) <= LONGEST_NAME_OF_A_CALL
            yield holds(fits, call.name_at, f"1 to {LONGEST_NAME_OF_A_CALL} characters", call.name)
