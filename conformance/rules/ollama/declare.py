"""Ollama's native chat: declaring tools, and choosing among them.

Its server ignores fields that it does not know, and decodes the others strictly: a wrong type is a 400.
"""

from __future__ import annotations

from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.transcript import Exchange
from conformance.wires.facts import Object, items, obj

SWITCHES = ("tool_choice", "parallel_tool_calls", "disable_parallel_tool_use")
"""Fields of other formats that this one does not have: ``api/types.go`` ``ChatRequest``."""


@check("ollama.declare.function-wrapper")
def function_wrapper(x: Exchange) -> Verdicts:
    for place, tool in items(obj(x.facts.document).get("tools")):
        yield _well_formed(f"/tools/{place}", obj(tool))


def _well_formed(at: str, tool: Object) -> Finding | None:
    function = tool.get("function")
    if not isinstance(function, dict):
        return Finding(at, {"type": "function", "function": {"name": "..."}}, sorted(tool))
    if tool.get("type") not in ("function", None):
        return Finding(f"{at}/type", "function", tool["type"])
    name, schema = function.get("name"), function.get("parameters")
    if not isinstance(name, str) or not name:
        return Finding(f"{at}/function/name", "the name of the function", name)
    if not isinstance(schema, dict | None):
        return Finding(f"{at}/function/parameters", "an object schema", schema)
    properties = obj(schema).get("properties")
    return holds(isinstance(properties, dict | None), f"{at}/function/parameters/properties", "an object", properties)


@check("ollama.choose.unsupported")
def unsupported(x: Exchange) -> Verdicts:
    document = obj(x.facts.document)
    sent = [name for name in SWITCHES if document.get(name) is not None]
    for name in sent:
        yield Finding(f"/{name}", "nothing: the format has no such field", document[name])
    if x.intent is not None and x.intent.tools and x.intent.choice.mode == "none":
        yield holds(not x.facts.tools, "/tools", "no tools: nothing else keeps the model from calling", x.facts.tools)
    elif x.facts.tools and not sent:
        yield None
