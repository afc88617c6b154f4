"""Chat Completions: tools, and what they are wrapped in."""

from __future__ import annotations

from collections.abc import Mapping

from conformance.model import Json
from conformance.rules.chat.documents import declared_tools
from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.transcript import Exchange


@check("chat.declare.function-wrapper")
def function_wrapper(x: Exchange) -> Verdicts:
    untyped = ("function", None) if x.card.takes.untyped else ("function",)
    for at, tool in declared_tools(x):
        kind, function = tool.get("type"), tool.get("function")
        if isinstance(kind, str) and kind != "function":
            continue
        if not isinstance(function, dict):
            yield Finding(at, {"type": "function", "function": {"name": "..."}}, sorted(tool))
        elif kind not in untyped:
            yield Finding(f"{at}/type", "function", kind)
        else:
            yield _well_formed(f"{at}/function", function)


def _well_formed(at: str, function: Mapping[str, Json]) -> Finding | None:
    if not isinstance(function.get("name"), str):
        return Finding(f"{at}/name", "the name of the function", function.get("name"))
    if not isinstance(function.get("description", ""), str | None):
        return Finding(f"{at}/description", "text", function["description"])
    return holds(function.get("strict") in (None, True, False), f"{at}/strict", "true or false", function.get("strict"))


@check("chat.declare.function-tools-only")
def function_tools_only(x: Exchange) -> Verdicts:
    kinds = ("function", *x.card.takes.tool_types)
    for at, tool in declared_tools(x):
        kind = tool.get("type")
        if isinstance(kind, str):
            yield holds(kind in kinds, f"{at}/type", "function", kind)
