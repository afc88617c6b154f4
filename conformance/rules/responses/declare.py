"""Responses: declaring tools."""

from __future__ import annotations

from conformance.rules.check import Finding, Verdicts, check, equal, holds
from conformance.rules.responses.documents import is_kind
from conformance.rules.shared.pairing import tool_pairs
from conformance.rules.shared.subschemas import closed_objects
from conformance.transcript import Exchange
from conformance.wires.facts import Object, SentTool, items, obj

HOSTED = ("web_search", "file_search", "code_interpreter", "image_generation", "computer_use", "local_shell", "shell")
"""How the types of the provider's own tools begin: they have versions, such as ``web_search_2025_08_26``."""


def _tools(x: Exchange) -> list[tuple[str, Object]]:
    return [(f"/tools/{place}", obj(tool)) for place, tool in items(obj(x.facts.document).get("tools"))]


@check("responses.declare.flat-function")
def flat_function(x: Exchange) -> Verdicts:
    for at, tool in _tools(x):
        kind = tool.get("type")
        if isinstance(kind, str) and kind != "function":
            continue
        if "function" in tool and "name" not in tool:
            yield Finding(at, ["type", "name", "parameters", "strict"], sorted(tool))
        elif kind is None:
            yield Finding(f"{at}/type", "function", None)
        else:
            yield _well_formed(at, tool)


def _well_formed(at: str, tool: Object) -> Finding | None:
    if not isinstance(tool.get("name"), str):
        return Finding(f"{at}/name", "the name of the function", tool.get("name"))
    if not isinstance(tool.get("description"), str | None):
        return Finding(f"{at}/description", "text", tool["description"])
    if tool.get("strict") not in (None, True, False):
        return Finding(f"{at}/strict", "true or false", tool["strict"])
    schema = tool.get("parameters")
    if not isinstance(schema, dict | None):
        return Finding(f"{at}/parameters", "an object schema", schema)
    typed = not schema or schema.get("type") == "object"
    return holds(typed, f"{at}/parameters/type", "object", obj(schema).get("type"))


@check("responses.declare.schema-at-top")
def schema_at_top(x: Exchange) -> Verdicts:
    """Without a name at the top, too, the whole tool is refused: that is another rule's finding."""
    for at, tool in _tools(x):
        if tool.get("type") == "function" and isinstance(tool.get("name"), str):
            lost = "parameters" not in tool and "parameters" in obj(tool.get("function"))
            yield holds(not lost, f"{at}/function", "parameters beside the name", sorted(obj(tool.get("function"))))


@check("responses.declare.strict-explicit")
def strict_explicit(x: Exchange) -> Verdicts:
    """Null is explicit, too: the provider takes it for false."""
    wanted = {sent.at: tool.strict for tool, sent in tool_pairs(x)}
    for at, tool in _tools(x):
        if tool.get("type") != "function" or "function" in tool:
            continue
        if "strict" not in tool:
            yield Finding(f"{at}/strict", "true or false", "no such key")
        elif isinstance(expected := wanted.get(at), bool):
            yield equal(f"{at}/strict", expected, tool["strict"] or False)
        else:
            yield None


@check("responses.declare.builtin-tools-passthrough")
def builtin_tools_passthrough(x: Exchange) -> Verdicts:
    own = [tool.builtin for tool in x.intent.tools if tool.builtin is not None] if x.intent is not None else []
    kinds = [tool.kind for tool in x.facts.tools]
    for name in own:
        declared = any(is_kind(kind, name) for kind in kinds)
        yield holds(declared, _place_of(x.facts.tools, name), {"type": name}, kinds)
    for at, tool in _tools(x):
        if any(is_kind(tool.get("type"), name) for name in HOSTED):
            extra = sorted(tool.keys() & {"name", "parameters", "function"})
            yield holds(not extra, at, {"type": tool.get("type")}, extra)


def _place_of(tools: list[SentTool], name: str) -> str:
    return next((tool.at for tool in tools if tool.name == name), "/tools")


@check("responses.declare.strict-schema-closed")
def strict_schema_closed(x: Exchange) -> Verdicts:
    for at, tool in _tools(x):
        if tool.get("type") == "function" and tool.get("strict") is True:
            yield from closed_objects(tool.get("parameters"), f"{at}/parameters")
