"""Gemini: declaring tools."""

from __future__ import annotations

import re
from collections.abc import Iterator

from conformance.http import Request
from conformance.model import Json
from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.transcript import Exchange
from conformance.wires.facts import Object, items, obj, pointer
from conformance.wires.gemini.keys import camel, field_elements, field_spelling, get

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]{0,63}")

FOREIGN_TOOL = ("functionDeclaration", "function", "name", "type", "parameters")
"""Keys of a tool object that declares a function in another format, or under a wrong name."""

SCHEMA_FIELDS = frozenset({
    "type", "format", "title", "description", "nullable", "enum", "items", "maxItems", "minItems", "properties",
    "required", "minProperties", "maxProperties", "minLength", "maxLength", "pattern", "example", "anyOf",
    "propertyOrdering", "default", "minimum", "maximum",
})  # fmt: skip
"""The fields of ``google/ai/generativelanguage`` ``Schema``."""

VERTEX_SCHEMA_FIELDS = frozenset({"additionalProperties", "defs", "$defs", "ref", "$ref"})
"""What Vertex AI's ``Schema`` has beside these (``google.genai.types.Schema``)."""

NOT_IN_A_REQUEST = ("config", "functionDeclarations", "functionCallingConfig", "toolChoice", "system")
"""What some put at the top of a request: the SDK's wrapper, what belongs deeper, and other formats' keys."""

TOP_LEVEL = ("tools", "toolConfig", "systemInstruction")


def _tools(x: Exchange) -> list[tuple[str, Json]]:
    return field_elements("", x.facts.document, "tools")


def _declarations(x: Exchange) -> list[tuple[str, Object]]:
    tools = [(at, obj(tool)) for at, tool in _tools(x)]
    return [(here, obj(item)) for at, tool in tools for here, item in field_elements(at, tool, "functionDeclarations")]


@check("gemini.declare.function-declarations-array")
def function_declarations_array(x: Exchange) -> Verdicts:
    for at, tool in _tools(x):
        if not isinstance(tool, dict):
            yield Finding(at, {"functionDeclarations": ["..."]}, tool)
        elif get(tool, "functionDeclarations") is None:
            if any(get(tool, key) is not None for key in FOREIGN_TOOL):
                yield Finding(at, {"functionDeclarations": ["..."]}, sorted(tool))
        elif not isinstance(get(tool, "functionDeclarations"), list | dict):
            here = f"{at}/{field_spelling(tool, 'functionDeclarations')}"
            yield Finding(here, "a list of declarations", get(tool, "functionDeclarations"))
    for at, declaration in _declarations(x):
        name = declaration.get("name")
        yield holds(isinstance(name, str) and name != "", f"{at}/name", "the name of the function", name)


@check("gemini.declare.one-schema-field")
def one_schema_field(x: Exchange) -> Verdicts:
    for at, declaration in _declarations(x):
        both = get(declaration, "parametersJsonSchema") is not None and declaration.get("parameters") is not None
        yield holds(not both, f"{at}/parameters", "either parameters or parametersJsonSchema", "both")


@check("gemini.declare.schema-subset-in-parameters")
def schema_subset_in_parameters(x: Exchange) -> Verdicts:
    vertex = isinstance(x.request, Request) and "/projects/" in x.request.path
    known = SCHEMA_FIELDS | VERTEX_SCHEMA_FIELDS if vertex else SCHEMA_FIELDS
    for at, declaration in _declarations(x):
        if declaration.get("parameters") is not None:
            yield from list(_outside_subset(f"{at}/parameters", declaration["parameters"], known)) or [None]


def _outside_subset(at: str, schema: Json, known: frozenset[str]) -> Iterator[Finding | None]:
    """Everything in a schema that ``Schema`` does not have. A loop, because a hostile document may be deep."""
    pending = [(at, schema)]
    while pending:
        here, node = pending.pop()
        if not isinstance(node, dict):
            yield Finding(here, "a schema", node)
            continue
        for key, value in node.items():
            if camel(key) not in known:
                yield Finding(here + pointer(key), "a field of Schema", key)
            elif key == "type" and isinstance(value, list):
                yield Finding(f"{here}/type", "one type; nullable for null", value)
            elif key == "enum" and not all(isinstance(word, str) for _, word in items(value)):
                yield Finding(f"{here}/enum", "strings", value)
        pending += [(f"{here}/properties{pointer(name)}", inner) for name, inner in obj(node.get("properties")).items()]
        pending += [inner for name in ("anyOf", "items") for inner in field_elements(here, node, name)]


@check("gemini.declare.rest-top-level")
def rest_top_level(x: Exchange) -> Verdicts:
    document = obj(x.facts.document)
    generation = get(document, "generationConfig")
    wrong = [(f"/{field_spelling(document, name)}", get(document, name)) for name in NOT_IN_A_REQUEST]
    wrong += [(f"/{field_spelling(document, 'generationConfig')}/{name}", get(generation, name)) for name in TOP_LEVEL]
    for at, value in wrong:
        if value is not None:
            yield Finding(at, f"{', '.join(TOP_LEVEL)} at the top of the request", value)
    for name in TOP_LEVEL:
        if get(document, name) is not None:
            yield None


@check("gemini.naming.pattern")
def pattern(x: Exchange) -> Verdicts:
    declared = [(f"{tool.at}/name", tool.name) for tool in x.facts.functions]
    for at, name in [*declared, *((call.name_at, call.name) for call in x.facts.calls)]:
        if isinstance(name, str) and name:
            yield holds(NAME.fullmatch(name) is not None, at, f"a name that matches ^{NAME.pattern}$", name)
