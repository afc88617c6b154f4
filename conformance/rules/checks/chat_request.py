"""Chat Completions: declaring tools, choosing among them, and where the request goes."""

from __future__ import annotations

import re
from collections.abc import Mapping

from conformance.http import Request
from conformance.model import Json
from conformance.rules.check import Finding, Verdicts, check, has_key, holds
from conformance.rules.checks.common_http import posts_to
from conformance.rules.subschemas import is_type, subschemas
from conformance.transcript import Exchange
from conformance.wires.facts import items, obj
from conformance.wires.naming import wire_names

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")

OTHER_CHOICES = ("allowed_tools", "custom")
"""Choices that only OpenAI has, and that our applications never ask for: ``ChatCompletionAllowedToolsChoice``
and ``ChatCompletionNamedToolChoiceCustom`` in openai-openapi."""

MODES: Mapping[str, str] = {"auto": "auto", "none": "none", "required": "required"}


def _tools(x: Exchange) -> list[tuple[str, Mapping[str, Json]]]:
    return [(f"/tools/{place}", obj(tool)) for place, tool in items(obj(x.facts.document).get("tools"))]


def _functions(x: Exchange) -> list[tuple[str, Mapping[str, Json]]]:
    """The function objects of the tools that have one."""
    return [(f"{at}/function", tool["function"]) for at, tool in _tools(x) if isinstance(tool.get("function"), dict)]


# --- declaring -------------------------------------------------------------------------------------------------------


@check("chat.declare.function-wrapper")
def function_wrapper(x: Exchange) -> Verdicts:
    untyped = ("function", None) if x.card.takes.untyped else ("function",)
    for at, tool in _tools(x):
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
    for at, tool in _tools(x):
        kind = tool.get("type")
        if isinstance(kind, str):
            yield holds(kind in kinds, f"{at}/type", "function", kind)


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
        if function.get("strict") is True:
            yield from closed_objects(function.get("parameters"), f"{at}/parameters")


def closed_objects(schema: Json, at: str) -> Verdicts:
    """Every object in a strict schema: whether it is closed and requires all its properties."""
    for here, node in subschemas(schema, at):
        if is_type(node, "object") or "properties" in node:
            yield _closed(here, node)


def _closed(at: str, node: Mapping[str, Json]) -> Finding | None:
    if node.get("additionalProperties") is not False:
        return Finding(f"{at}/additionalProperties", False, node.get("additionalProperties"))
    names, required = list(obj(node.get("properties"))), [name for _, name in items(node.get("required"))]
    return holds(all(name in required for name in names), f"{at}/required", names, node.get("required"))


@check("chat.naming.pattern-64")
def pattern_64(x: Exchange) -> Verdicts:
    declared = [(f"{tool.at}/function/name", tool.name) for tool in x.facts.functions]
    for at, name in [*declared, *((call.name_at, call.name) for call in x.facts.calls)]:
        if isinstance(name, str):
            yield holds(NAME.fullmatch(name) is not None, at, f"a name that matches ^{NAME.pattern}$", name)


# --- choosing --------------------------------------------------------------------------------------------------------


def _wanted(x: Exchange) -> str | None:
    """The mode that the application chose; ``None`` when that is not known, or when there are no tools to choose."""
    return x.intent.choice.mode if x.intent is not None and x.intent.tools and x.facts.tools else None


@check("chat.choose.mode-mapping")
def mode_mapping(x: Exchange) -> Verdicts:
    wanted, raw = _wanted(x), x.facts.choice.raw if x.facts.choice is not None else None
    modes = {**MODES, **x.card.takes.choice_words}
    if isinstance(raw, str):
        right = modes.get(raw) == wanted if wanted not in (None, "tool") else raw in modes
        yield holds(right, "/tool_choice", list(modes) if wanted in (None, "tool") else wanted, raw)
    elif wanted in ("none", "required") and obj(raw).get("type") not in OTHER_CHOICES:
        yield Finding("/tool_choice", wanted, raw)


@check("chat.choose.forced-function-nested")
def forced_function_nested(x: Exchange) -> Verdicts:
    wanted, raw = _wanted(x), x.facts.choice.raw if x.facts.choice is not None else None
    if wanted not in (None, "tool"):
        return
    if isinstance(raw, dict) and raw.get("type") not in OTHER_CHOICES:
        yield _forced(x, raw)
    elif wanted == "tool" and not _only_tool(x, raw):
        names = _names_of_choice(x)
        yield Finding("/tool_choice", {"type": "function", "function": {"name": names[0] if names else "..."}}, raw)


def _forced(x: Exchange, raw: Mapping[str, Json]) -> Finding | None:
    name, kind, at = obj(raw.get("function")).get("name"), raw.get("type"), "/tool_choice/function/name"
    if x.card.takes.flat_choice and kind == "tool":
        name, kind, at = raw.get("name"), "function", "/tool_choice/name"
    named = isinstance(name, str)
    if not named or not (kind == "function" or (kind is None and x.card.takes.untyped)):
        expected = {"type": "function", "function": {"name": name if named else "..."}}
        return Finding("/tool_choice", expected, raw)
    declared = [tool.name for tool in x.facts.functions if isinstance(tool.name, str)]
    expected_names = _names_of_choice(x) or declared
    known = name in expected_names or not declared  # a declaration that cannot be read has a rule of its own
    return holds(known, at, expected_names, name)


def _names_of_choice(x: Exchange) -> list[Json]:
    """The declared names that the forced tool may go by; none when none of them is declared."""
    choice = x.intent.choice.name if x.intent is not None else None
    if x.intent is None or choice is None:
        return []
    declared = [tool.name for tool in x.facts.functions]
    return [name for name in (choice, wire_names(x.intent.tools).get(choice)) if name in declared][:1]


def _only_tool(x: Exchange, raw: Json) -> bool:
    """Whether the choice forces some tool, and there is only one."""
    return len(x.facts.functions) == 1 and raw in ("required", "any")


@check("chat.choose.parallel-disabled")
def parallel_disabled(x: Exchange) -> Verdicts:
    document = obj(x.facts.document)
    sent, unwanted = document.get("parallel_tool_calls"), x.intent is not None and x.intent.choice.parallel is False
    if not document.get("tools"):
        if sent is not None:
            yield Finding("/parallel_tool_calls", "absent, as there are no tools", sent)
    elif unwanted:
        yield holds(sent is False, "/parallel_tool_calls", False, sent)
    elif sent is not None:
        yield holds(isinstance(sent, bool), "/parallel_tool_calls", "true or false", sent)


# --- HTTP ------------------------------------------------------------------------------------------------------------


@check("chat.http.endpoint-and-auth")
def endpoint_and_auth(x: Exchange) -> Verdicts:
    """Recordings are scrubbed, so headers are looked at only where the adapter's own request is at hand."""
    request = x.request
    if not isinstance(request, Request):
        return
    right = posts_to(x, request, "/chat/completions")
    yield holds(right, "", "POST .../chat/completions", f"{request.method} {request.path}")
    if x.intent is not None:
        yield has_key(has_bearer(request), "authorization: Bearer <key>", request.header("authorization"))
        kind = request.header("content-type")
        yield holds((kind or "").lower().startswith("application/json"), "", "content-type: application/json", kind)


def has_bearer(request: Request) -> bool:
    """Whether the request carries a bearer token."""
    scheme, _, token = (request.header("authorization") or "").partition(" ")
    return scheme.lower() == "bearer" and bool(token.strip())
