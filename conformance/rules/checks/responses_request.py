"""Responses: declaring tools, choosing among them, guidance, and where the request goes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from conformance.http import Request
from conformance.model import Json, Tool
from conformance.rules.check import Finding, Verdicts, check, equal, has_key, holds
from conformance.rules.checks.chat_request import closed_objects, has_bearer
from conformance.rules.checks.common_http import posts_to
from conformance.rules.pairing import tool_pairs
from conformance.rules.responses_documents import Object
from conformance.transcript import Exchange
from conformance.wires.facts import SentTool, items, obj
from conformance.wires.naming import wire_names

NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")

MODES = ("auto", "none", "required")

HOSTED = ("web_search", "file_search", "code_interpreter", "image_generation", "computer_use", "local_shell", "shell")
"""How the types of the provider's own tools begin: they have versions, such as ``web_search_2025_08_26``."""


def _tools(x: Exchange) -> list[tuple[str, Object]]:
    return [(f"/tools/{place}", obj(tool)) for place, tool in items(obj(x.facts.document).get("tools"))]


# --- declaring -------------------------------------------------------------------------------------------------------


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
        declared = any(_is_kind(kind, name) for kind in kinds)
        yield holds(declared, _place_of(x.facts.tools, name), {"type": name}, kinds)
    for at, tool in _tools(x):
        if any(_is_kind(tool.get("type"), name) for name in HOSTED):
            extra = sorted(tool.keys() & {"name", "parameters", "function"})
            yield holds(not extra, at, {"type": tool.get("type")}, extra)


def _is_kind(kind: Json, name: str) -> bool:
    return isinstance(kind, str) and (kind == name or kind.startswith(f"{name}_"))


def _place_of(tools: list[SentTool], name: str) -> str:
    return next((tool.at for tool in tools if tool.name == name), "/tools")


@check("responses.declare.strict-schema-closed")
def strict_schema_closed(x: Exchange) -> Verdicts:
    for at, tool in _tools(x):
        if tool.get("type") == "function" and tool.get("strict") is True:
            yield from closed_objects(tool.get("parameters"), f"{at}/parameters")


@check("responses.naming.pattern")
def pattern(x: Exchange) -> Verdicts:
    declared = [(f"{tool.at}/name", tool.name) for tool in x.facts.functions]
    for at, name in [*declared, *((call.name_at, call.name) for call in x.facts.calls)]:
        if isinstance(name, str):
            yield holds(NAME.fullmatch(name) is not None, at, f"a name that matches ^{NAME.pattern}$", name)


# --- choosing --------------------------------------------------------------------------------------------------------


@check("responses.choose.mode-mapping")
def mode_mapping(x: Exchange) -> Verdicts:
    """What is chosen by default need not be said."""
    wanted = x.intent.choice.mode if x.intent is not None and x.intent.tools and x.facts.tools else None
    sent = x.facts.choice
    if sent is not None and obj(sent.raw).get("type") == "function":
        yield _forced(x, sent.raw, wanted)
    elif wanted == "tool":
        yield holds(_forces(x), "/tool_choice", _forcing(x), sent.raw if sent is not None else None)
    elif sent is not None and sent.raw is not None:
        right = sent.mode is not None and wanted in (None, sent.mode)
        yield holds(right, "/tool_choice", wanted or MODES, sent.raw)
    elif wanted not in (None, "auto"):
        yield Finding("/tool_choice", wanted, None)


def _forced(x: Exchange, raw: Object, wanted: str | None) -> Finding | None:
    name, single = raw.get("name"), len(x.facts.tools) == 1
    if not isinstance(name, str) or "function" in raw:
        return Finding("/tool_choice", _forcing(x), raw)
    if wanted not in (None, "tool") and not (wanted == "required" and single):
        return Finding("/tool_choice", wanted, raw)
    names = _chosen_names(x) or [tool.name for tool in x.facts.functions if isinstance(tool.name, str)]
    return holds(name in names or not names, "/tool_choice/name", names, name)


def _forces(x: Exchange) -> bool:
    """Whether the one tool that there is must be called, or the provider's own one that was chosen."""
    sent, tool = x.facts.choice, _chosen(x)
    if sent is None or sent.mode != "required":
        return False
    hosted = tool is not None and tool.builtin is not None and _is_kind(obj(sent.raw).get("type"), tool.builtin)
    return hosted or len(x.facts.tools) == 1


def _forcing(x: Exchange) -> Json:
    """How the tool that was chosen is forced."""
    tool = _chosen(x)
    if tool is not None and tool.builtin is not None:
        return {"type": tool.builtin}
    return {"type": "function", "name": next(iter(_chosen_names(x)), "...")}


def _chosen(x: Exchange) -> Tool | None:
    name = x.intent.choice.name if x.intent is not None else None
    return x.intent.tool(name) if x.intent is not None and name is not None else None


def _chosen_names(x: Exchange) -> list[Json]:
    """The declared name of the tool that the application forces; none where it is not declared."""
    tool = _chosen(x)
    if tool is None or x.intent is None:
        return []
    declared = [sent.name for sent in x.facts.functions]
    return [name for name in (tool.name, wire_names(x.intent.tools)[tool.name]) if name in declared][:1]


@check("responses.choose.parallel-disabled")
def parallel_disabled(x: Exchange) -> Verdicts:
    sent = obj(x.facts.document).get("parallel_tool_calls")
    if x.intent is not None and x.intent.choice.parallel is False and x.facts.tools:
        yield holds(sent is False, "/parallel_tool_calls", False, sent)
    elif sent is not None:
        yield holds(isinstance(sent, bool), "/parallel_tool_calls", "true or false", sent)


# --- guidance --------------------------------------------------------------------------------------------------------


@check("responses.history.instructions-field")
def instructions_field(x: Exchange) -> Verdicts:
    document = obj(x.facts.document)
    if document.get("system") is not None:
        yield Finding("/system", "instructions, or a message with the role developer", document["system"])
        return
    instructions = document.get("instructions")
    if not isinstance(instructions, str | None):
        yield Finding("/instructions", "text", instructions)
        return
    wanted, found = _guidance(x), "\n".join(_heard(x))
    if wanted is not None:
        yield holds(wanted in found, "/instructions", wanted, instructions)
    elif found:
        yield None


def _guidance(x: Exchange) -> str | None:
    """What the model is to be told: the intent says it, or the instructions of a request that this one goes on."""
    if x.intent is not None:
        return x.intent.system
    if x.facts.previous is None or x.previous is None or obj(x.previous.answer).get("id") != x.facts.previous:
        return None
    before = obj(x.previous.facts.document).get("instructions")
    return before if isinstance(before, str) else None


def _heard(x: Exchange) -> Iterator[str]:
    """The guidance that reaches the model. What the provider keeps of earlier requests is their messages alone."""
    yield from (text for _, text in x.facts.system if isinstance(text, str))
    for earlier in x.earlier if x.facts.previous is not None else ():
        yield from (text for at, text in earlier.facts.system if at != "/instructions" and isinstance(text, str))


# --- HTTP ------------------------------------------------------------------------------------------------------------


@check("responses.http.endpoint-and-error")
def endpoint(x: Exchange) -> Verdicts:
    """Recordings are scrubbed, so headers are looked at only where the adapter's own request is at hand."""
    request = x.request
    if not isinstance(request, Request):
        return
    right = posts_to(x, request, "/responses")
    yield holds(right, "", "POST .../responses", f"{request.method} {request.path}")
    if x.intent is not None:
        yield has_key(has_bearer(request), "authorization: Bearer <key>", request.header("authorization"))
        kind = request.header("content-type")
        yield holds((kind or "").lower().startswith("application/json"), "", "content-type: application/json", kind)
