"""Gemini: declaring tools, choosing among them, where things stand in a request, and where the request goes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from conformance.http import Request
from conformance.model import Json
from conformance.rules.check import Finding, Verdicts, check, has_key, holds
from conformance.rules.checks.common_http import posts_to
from conformance.rules.gemini_documents import DATA, Object, contents, parts_of
from conformance.rules.pairing import tool_pairs
from conformance.transcript import Exchange
from conformance.wires.facts import items, obj, pointer
from conformance.wires.gemini.keys import camel, elements, get, spelling
from conformance.wires.gemini.protobuf import MODES as MODE_NAMES
from conformance.wires.gemini.protobuf import enum_name

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
PARALLEL_SWITCHES = ("parallelToolCalls", "disableParallelToolUse", "parallelFunctionCalling", "parallel")
OTHER_CONTAINERS = ("messages", "input", "prompt", "content")
MODES = {"auto": ("AUTO", "VALIDATED", "MODE_UNSPECIFIED"), "required": ("ANY",), "tool": ("ANY",), "none": ("NONE",)}

ENDPOINT = re.compile(r".*/v1(alpha|beta\d*)?/(.+/)?(models|tunedModels|endpoints)/[^/]+:(streamG|g)enerateContent")
"""``/v1beta/models/...`` and ``/v1/models/...``; Vertex AI has the project and the place before ``models``."""


# --- declaring -------------------------------------------------------------------------------------------------------


def _tools(x: Exchange) -> list[tuple[str, Json]]:
    return elements("", x.facts.document, "tools")


def _declarations(x: Exchange) -> list[tuple[str, Object]]:
    tools = [(at, obj(tool)) for at, tool in _tools(x)]
    return [(here, obj(item)) for at, tool in tools for here, item in elements(at, tool, "functionDeclarations")]


@check("gemini.declare.function-declarations-array")
def function_declarations_array(x: Exchange) -> Verdicts:
    for at, tool in _tools(x):
        if not isinstance(tool, dict):
            yield Finding(at, {"functionDeclarations": ["..."]}, tool)
        elif get(tool, "functionDeclarations") is None:
            if any(get(tool, key) is not None for key in FOREIGN_TOOL):
                yield Finding(at, {"functionDeclarations": ["..."]}, sorted(tool))
        elif not isinstance(get(tool, "functionDeclarations"), list | dict):
            here = f"{at}/{spelling(tool, 'functionDeclarations')}"
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
        pending += [inner for name in ("anyOf", "items") for inner in elements(here, node, name)]


@check("gemini.declare.rest-top-level")
def rest_top_level(x: Exchange) -> Verdicts:
    document = obj(x.facts.document)
    generation = get(document, "generationConfig")
    wrong = [(f"/{spelling(document, name)}", get(document, name)) for name in NOT_IN_A_REQUEST]
    wrong += [(f"/{spelling(document, 'generationConfig')}/{name}", get(generation, name)) for name in TOP_LEVEL]
    for at, value in wrong:
        if value is not None:
            yield Finding(at, f"{', '.join(TOP_LEVEL)} at the top of the request", value)
    for name in TOP_LEVEL:
        if get(document, name) is not None:
            yield None


@check("gemini.naming.pattern")
def naming_pattern(x: Exchange) -> Verdicts:
    declared = [(f"{tool.at}/name", tool.name) for tool in x.facts.functions]
    for at, name in [*declared, *((call.name_at, call.name) for call in x.facts.calls)]:
        if isinstance(name, str) and name:
            yield holds(NAME.fullmatch(name) is not None, at, f"a name that matches ^{NAME.pattern}$", name)


# --- choosing --------------------------------------------------------------------------------------------------------


@check("gemini.choose.mode-mapping")
def mode_mapping(x: Exchange) -> Verdicts:
    """Nothing is there to choose where no function is declared."""
    choice, declared = x.facts.choice, [tool.name for tool in x.facts.functions]
    wanted = x.intent.choice.mode if x.intent is not None and x.intent.tools else None
    if not declared or (wanted is None and choice is None):
        return
    at, calling = (choice.at, choice.raw) if choice is not None else ("/toolConfig/functionCallingConfig", None)
    mode, allowed = enum_name(get(calling, "mode") or "AUTO", MODE_NAMES), get(calling, "allowedFunctionNames")
    modes = MODES[wanted] if wanted is not None else [name for names in MODES.values() for name in names]
    if mode not in modes:
        yield Finding(f"{at}/mode" if choice is not None else at, modes[0] if wanted is not None else modes, mode)
    elif allowed:
        yield _allowed(f"{at}/{spelling(obj(calling), 'allowedFunctionNames')}", mode, allowed, _chosen(x), declared)
    else:
        forced = wanted != "tool" or len(declared) == 1
        yield holds(forced, at, {"mode": "ANY", "allowedFunctionNames": _chosen(x)}, calling)


def _allowed(at: str, mode: Json, allowed: Json, chosen: Sequence[Json], declared: Sequence[Json]) -> Finding | None:
    """Whether the allowed names are the chosen ones, and whether there may be any."""
    names = [name for _, name in items(allowed)]
    if mode not in ("ANY", "VALIDATED"):
        return Finding(at, "no names: the mode is not ANY", allowed)
    if not isinstance(allowed, list) or any(name not in declared for name in names):
        return Finding(at, declared, allowed)
    right = not chosen or (all(name in chosen for name in names) and all(name in names for name in chosen))
    return holds(right, at, chosen, names)


def _chosen(x: Exchange) -> list[Json]:
    """The wire names that may be called, as far as the application's choice says it."""
    if x.intent is None:
        return []
    pairs = tool_pairs(x)
    if x.intent.choice.mode == "tool":
        return [sent.name for tool, sent in pairs if tool.name == x.intent.choice.name]
    return [sent.name for _, sent in pairs]


@check("gemini.choose.parallel-not-supported")
def parallel_not_supported(x: Exchange) -> Verdicts:
    if not x.facts.functions:
        return
    document = obj(x.facts.document)
    config = spelling(document, "toolConfig")
    calling = spelling(obj(document.get(config)), "functionCallingConfig")
    holders = {"": document, f"/{config}": obj(document.get(config))}
    holders[f"/{config}/{calling}"] = obj(holders[f"/{config}"].get(calling))
    yield None
    for at, holder in holders.items():
        for key in holder:
            if camel(key) in PARALLEL_SWITCHES:
                yield Finding(f"{at}/{key}", "nothing: there is no such switch", holder[key])


# --- the request as a whole ------------------------------------------------------------------------------------------


@check("gemini.history.system-instruction")
def system_instruction(x: Exchange) -> Verdicts:
    roles = [(at, content) for at, content in contents(x) if content.get("role") == "system"]
    for at, _ in roles:
        yield Finding(f"{at}/role", "systemInstruction at the top of the request", "system")
    texts = [str(text) for _, text in x.facts.system]
    wanted = x.intent.system if x.intent is not None else None
    if wanted and not roles and contents(x):
        yield holds(wanted in "\n".join(texts), "/systemInstruction", wanted, texts)
    elif texts:
        yield None


@check("gemini.history.contents-container")
def contents_container(x: Exchange) -> Verdicts:
    if not isinstance(x.request, Request):
        return
    document = obj(x.facts.document)
    yield holds(bool(contents(x)), "/contents", "a list of contents", document.get("contents"))
    for name in OTHER_CONTAINERS:
        if document.get(name) is not None:
            yield Finding(f"/{name}", "contents", document[name])
    for at, content in contents(x):
        parts = parts_of(at, content)
        yield holds(bool(parts), f"{at}/parts", "at least one part", content.get("parts"))
        for here, part in parts:
            yield _one_data_field(here, part)


def _one_data_field(at: str, part: Object) -> Finding | None:
    """Fields that we do not know may be data too; a signature may come alone, and was accepted so."""
    data = [name for name in DATA if get(part, name) is not None]
    if isinstance(part.get("type"), str) or not part:
        return Finding(at, "a part such as {text: ...}", part)
    return holds(len(data) < 2, at, "one data field", data)


# --- HTTP ------------------------------------------------------------------------------------------------------------


@check("gemini.http.endpoint-and-auth")
def endpoint_and_auth(x: Exchange) -> Verdicts:
    """Recordings are scrubbed, so keys are looked at only where the adapter's own request is at hand."""
    request = x.request
    if not isinstance(request, Request):
        return
    path = ENDPOINT.fullmatch(request.path)
    right = path is not None and posts_to(x, request, path.group())
    yield holds(right, "", "POST /v1beta/models/{model}:generateContent", f"{request.method} {request.path}")
    if x.intent is not None:
        yield has_key(_is_authorised(request), "x-goog-api-key: <key>", sorted(request.headers))


def _is_authorised(request: Request) -> bool:
    """An API key in the header or in the query; Vertex AI takes a bearer token."""
    return bool(
        request.header("x-goog-api-key") or request.header("authorization") or re.search(r"(^|&)key=.", request.query)
    )
