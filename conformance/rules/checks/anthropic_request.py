"""Messages: declaring tools, choosing among them, and where the request goes."""

from __future__ import annotations

import re

from conformance.http import Request
from conformance.model import Json
from conformance.rules.anthropic_documents import Object, Placed, blocks_of, kind_of, messages, placed, thinking_mode
from conformance.rules.check import Finding, Verdicts, check, has_key, holds
from conformance.rules.checks.chat_request import has_bearer
from conformance.rules.checks.common_http import posts_to
from conformance.rules.pairing import tool_pairs
from conformance.transcript import Exchange
from conformance.wires.facts import SentChoice, obj

NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
LONGEST_NAME_OF_A_CALL = 200
"""OpenAPI ``RequestToolUseBlock.name``: 1 to 200 characters, of any kind."""

OTHER_FORMATS = ("function", "parameters")
"""Keys under which other formats declare a function."""
COMBINATORS = ("oneOf", "anyOf", "allOf")

SEARCHES = ("web_search", "web_fetch")
VERSIONED = re.compile(r"[a-z_]+_20\d{6}")

MODES = ("auto", "any", "none", "tool")
WORDS = {"auto": "auto", "required": "any", "none": "none", "tool": "tool"}
"""The API's word for each mode of the application's."""

PARALLEL_AT = "/tool_choice/disable_parallel_tool_use"
MISPLACED = ("parallel_tool_calls", "disable_parallel_tool_use")
"""Top-level fields by which other formats, or mistakes, ask for one call at a time."""

VERSIONS = ("2023-01-01", "2023-06-01", "2026-10-21")
"""Every version there is: platform.claude.com, "Versions"."""
NEWEST = "2026-10-21"
DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
SAMPLING = ("temperature", "top_p", "top_k")


def _tools(x: Exchange) -> list[Placed]:
    return placed("/tools", obj(x.facts.document).get("tools"))


# --- declaring -------------------------------------------------------------------------------------------------------


@check("anthropic.declare.input-schema")
def input_schema(x: Exchange) -> Verdicts:
    for at, tool in _tools(x):
        foreign = [key for key in OTHER_FORMATS if key in tool]
        if foreign or kind_of(tool) == "function":
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
        if not any(kind_of(tool).startswith(name) for _, tool in tools):
            at = next((at for at, tool in tools if tool.get("name") == name), "/tools")
            yield Finding(at, {"type": f"{name}_<version>", "name": name}, [kind_of(tool) for _, tool in tools])
    for at, tool in tools:
        if kind_of(tool) not in ("", "custom", "function"):
            yield _server_tool(at, tool)


def _server_tool(at: str, tool: Object) -> Finding | None:
    name = next((name for name in SEARCHES if kind_of(tool).startswith(name)), None)
    if name is not None and not VERSIONED.fullmatch(kind_of(tool)):
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


# --- choosing --------------------------------------------------------------------------------------------------------


@check("anthropic.choose.object-mapping")
def object_mapping(x: Exchange) -> Verdicts:
    """What is chosen by default need not be said. While it thinks, the model cannot always be forced."""
    wanted = x.intent.choice.mode if x.intent is not None and x.intent.tools and x.facts.tools else None
    sent = x.facts.choice
    if sent is None or sent.raw is None:
        right = wanted in (None, "auto") or _may_be_free(x, wanted)
        if wanted not in (None, "auto"):
            yield holds(right, "/tool_choice", _choosing(x, wanted), None)
    elif sent.mode is None or (wanted is not None and not _means(x, wanted, sent)):
        yield Finding("/tool_choice", _choosing(x, wanted), sent.raw)
    elif sent.mode == "tool":
        yield _forced(x, sent)
    else:
        yield None


def _choosing(x: Exchange, wanted: str | None) -> Json:
    """How ``wanted`` is said."""
    if wanted is None:
        return [{"type": mode} for mode in MODES]
    named = {"name": next(iter(_chosen_names(x)), "...")} if wanted == "tool" else {}
    return {"type": WORDS[wanted], **named}


def _means(x: Exchange, wanted: str, sent: SentChoice) -> bool:
    """Whether ``sent`` comes to the same as ``wanted``. With only one tool, any tool is that one."""
    single = len(x.facts.tools) == 1 and {wanted, sent.mode} == {"required", "tool"}
    return sent.mode == wanted or single or (sent.mode == "auto" and _may_be_free(x, wanted))


def _may_be_free(x: Exchange, wanted: str | None) -> bool:
    return wanted in ("required", "tool") and thinking_mode(x) in ("enabled", "adaptive")


def _forced(x: Exchange, sent: SentChoice) -> Finding | None:
    names = _chosen_names(x) or [tool.name for tool in x.facts.tools]
    known = isinstance(sent.name, str) and (sent.name in names or not names)
    return holds(known, "/tool_choice/name", names, sent.name)


def _chosen_names(x: Exchange) -> list[Json]:
    """The declared name of the tool that the application forces; none where that is not known."""
    name = x.intent.choice.name if x.intent is not None and x.intent.choice.mode == "tool" else None
    tool = x.intent.tool(name) if x.intent is not None and name is not None else None
    if tool is not None and tool.builtin is not None:
        return [tool.builtin]
    return [sent.name for own, sent in tool_pairs(x) if own.name == name]


@check("anthropic.choose.parallel-disabled")
def parallel_disabled(x: Exchange) -> Verdicts:
    document = obj(x.facts.document)
    for name in MISPLACED:
        if name in document:
            yield Finding(f"/{name}", f"{PARALLEL_AT} instead", document[name])
    sent = obj(document.get("tool_choice")).get("disable_parallel_tool_use")
    choice = x.intent.choice if x.intent is not None and x.facts.tools else None
    if choice is not None and choice.parallel is False and choice.mode != "none":
        yield holds(sent is True, PARALLEL_AT, True, sent)
    elif sent is not None:
        yield holds(isinstance(sent, bool), PARALLEL_AT, "true or false", sent)


@check("anthropic.choose.thinking-forbids-forcing")
def thinking_forbids_forcing(x: Exchange) -> Verdicts:
    if thinking_mode(x) == "enabled" and x.facts.tools:
        kind = obj(obj(x.facts.document).get("tool_choice")).get("type")
        yield holds(kind not in ("any", "tool"), "/tool_choice/type", ["auto", "none"], kind)


# --- HTTP ------------------------------------------------------------------------------------------------------------


@check("anthropic.http.headers")
def headers(x: Exchange) -> Verdicts:
    """Recordings are scrubbed, so what is absent counts only where the adapter's own request is at hand.

    Hosts such as Bedrock and Vertex have paths of their own, with the model in them.
    """
    request = x.request
    if not isinstance(request, Request) or (x.intent is None and not request.path.endswith("/messages")):
        return
    right = posts_to(x, request, "/v1/messages")
    yield holds(right or x.intent is None, "", "POST /v1/messages", f"{request.method} {request.path}")
    version = request.header("anthropic-version")
    if x.intent is not None or (version is not None and DATE.fullmatch(version)):
        yield holds(version in VERSIONS, "", f"anthropic-version: {VERSIONS[1]}", version)
    if isinstance(x.facts.document, dict):
        limit = x.facts.document.get("max_tokens")
        counts = isinstance(limit, int) and not isinstance(limit, bool) and limit >= 0  # 0 only fills the cache
        yield holds(counts, "/max_tokens", "a number of tokens", limit)
    if x.intent is not None:
        yield has_key(bool(request.header("x-api-key")) or has_bearer(request), "x-api-key, or a bearer token", None)
        kind = request.header("content-type")
        yield holds((kind or "").lower().startswith("application/json"), "", "content-type: application/json", kind)


@check("anthropic.http.version-gated-parameters")
def version_gated_parameters(x: Exchange) -> Verdicts:
    if not isinstance(x.request, Request) or x.request.header("anthropic-version") != NEWEST:
        return
    document = obj(x.facts.document)
    for name in SAMPLING:
        yield holds(name not in document, f"/{name}", f"no such field in version {NEWEST}", document.get(name))
    for at, message in messages(x):
        for here, block in blocks_of(at, message):
            if message.get("role") == "assistant" and kind_of(block) == "document":
                yield Finding(here, f"no document of the model's in version {NEWEST}", {"type": "document"})
            elif message.get("role") == "user" and kind_of(block) == "text" and block.get("citations"):
                yield Finding(f"{here}/citations", f"no citations in version {NEWEST}", block["citations"])
