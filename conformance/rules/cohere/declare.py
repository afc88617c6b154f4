"""Cohere's chat: declaring tools, and choosing among them.

Its server knows the fields of a tool, and refuses all others.
"""

from __future__ import annotations

from collections.abc import Mapping

from conformance.model import Json
from conformance.rules.check import Finding, Verdicts, check, equal, holds
from conformance.transcript import Exchange
from conformance.wires.cohere.request import MODES
from conformance.wires.facts import items, obj

TOOL = {"type", "function"}
FUNCTION = {"name", "description", "parameters"}
WORDS = {"auto": None, "none": "NONE", "required": "REQUIRED", "tool": "REQUIRED"}


def _tools(x: Exchange) -> list[tuple[str, Mapping[str, Json]]]:
    return [(f"/tools/{place}", obj(tool)) for place, tool in items(obj(x.facts.document).get("tools"))]


@check("cohere.declare.function-wrapper")
def function_wrapper(x: Exchange) -> Verdicts:
    for at, tool in _tools(x):
        function = tool.get("function")
        if not isinstance(function, dict):
            yield Finding(at, {"type": "function", "function": {"name": "..."}}, sorted(tool))
        elif tool.get("type") != "function":
            yield Finding(f"{at}/type", "function", tool.get("type"))
        else:
            yield _well_formed(f"{at}/function", function)


def _well_formed(at: str, function: Mapping[str, Json]) -> Finding | None:
    name, schema = function.get("name"), function.get("parameters")
    if not isinstance(name, str) or not name:
        return Finding(f"{at}/name", "the name of the function", name)
    return holds(isinstance(schema, dict), f"{at}/parameters", "an object schema", schema)


@check("cohere.declare.known-fields")
def known_fields(x: Exchange) -> Verdicts:
    for at, tool in _tools(x):
        strange = [f"{at}/{name}" for name in tool if name not in TOOL]
        strange += [f"{at}/function/{name}" for name in obj(tool.get("function")) if name not in FUNCTION]
        for place in strange:
            yield Finding(place, "nothing: there is no such field", place.rpartition("/")[2])
        if not strange:
            yield None


@check("cohere.declare.strict-typed-root")
def strict_typed_root(x: Exchange) -> Verdicts:
    if obj(x.facts.document).get("strict_tools") is True:
        for at, tool in _tools(x):
            schema = obj(obj(tool.get("function")).get("parameters"))
            yield equal(f"{at}/function/parameters/type", "object", schema.get("type"))


@check("cohere.choose.words")
def words(x: Exchange) -> Verdicts:
    raw = obj(x.facts.document).get("tool_choice")
    if raw is not None:
        yield holds(isinstance(raw, str) and raw.upper() in MODES, "/tool_choice", list(MODES), raw)


@check("cohere.choose.required-with-tools")
def required_with_tools(x: Exchange) -> Verdicts:
    document = obj(x.facts.document)
    if document.get("tool_choice") == "REQUIRED":
        yield holds(bool(document.get("tools")), "/tools", "the tools, one of which has to be called", None)


@check("cohere.choose.mode-kept")
def mode_kept(x: Exchange) -> Verdicts:
    if x.intent is None or not x.intent.tools or not x.facts.tools:
        return
    sent = x.facts.choice
    if sent is not None and sent.mode is None:
        return  # a word that there is not has a rule of its own
    wanted, raw = WORDS[x.intent.choice.mode], sent.raw.upper() if sent is not None else None
    if wanted is not None or raw is not None:
        yield equal("/tool_choice", wanted, raw)
