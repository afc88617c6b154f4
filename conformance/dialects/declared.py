"""Tools of the provider's own kinds, declared beside a function with every option that their types have.

An application may ask for them; the neutral model only has a word for them (`conformance.model.Tool.builtin`). So the
reference adapter declares them bare, and a dialect says the options. No call of such a tool follows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from conformance.coverage.branches import Branch, JsonSchema, place_of
from conformance.coverage.documents import forms_in_types, schema_of
from conformance.coverage.forms import form_kind
from conformance.derivation.values import CoveringValues, place_in
from conformance.dialects.tables import table
from conformance.http import Request
from conformance.model import (
    AssistantTurn,
    Conversation,
    Json,
    ResultsTurn,
    TextPart,
    Tool,
    ToolCall,
    ToolChoice,
    ToolResult,
    UserTurn,
    decoded_json,
)
from conformance.transcript import Exchange
from conformance.wires import wire
from conformance.wires.facts import obj

FUNCTION = Tool("read_file", "Reads a file", {"type": "object", "properties": {"path": {"type": "string"}}})


def declared(provider: str) -> Iterator[tuple[str, Sequence[Exchange]]]:
    """One exchange for each kind of tool and each of its values, with a name."""
    kinds = table()["tools of its own"].get(provider, {})
    schema = schema_of(provider, "request")
    if not kinds or schema is None:
        return
    for kind, place in _kinds(provider, kinds):
        values = _values(schema, place)
        for number, value in enumerate(values):
            yield f"{kind} {number}", [_exchange(provider, kind, value)]
        choices = _values(schema, f"{kinds['chosen']}(type={kind})") if "chosen" in kinds else []
        for number, choice in enumerate(choices):
            yield f"{kind} chosen {number}", [_exchange(provider, kind, values[0], choice)]


BARE = Tool("read_file", parameters={"type": "object", "description": "Of the file", "properties": {}})
DESCRIBED = Tool("read_file", "Reads a file", {**(FUNCTION.parameters or {}), "description": "Of the file"})
CALLED = (UserTurn("Find it."), AssistantTurn(calls=(ToolCall("call_1", "find_tools", {}),), stop="tool_calls"))
FOUND = (*CALLED, ResultsTurn((ToolResult("call_1", "find_tools", (TextPart(FUNCTION.name),)),)))
NOTHING_FOUND = (*CALLED, ResultsTurn((ToolResult("call_1", "find_tools"),)))
REFUSED = (UserTurn("Open the vault."), AssistantTurn(stop="refusal", refusal="I will not do that."), UserTurn("Why?"))


def said_so(provider: str) -> Iterator[Sequence[Exchange]]:
    """What no scenario asks for, and a dialect is about: a tool without a description, parameters with one, a refusal
    that goes back, and a tool that finds tools, or nothing."""
    asked, tools = REFUSED[:1], (FUNCTION, Tool("find_tools"))
    for conversation in (
        Conversation(asked, (BARE,)), Conversation(asked, (DESCRIBED,)), Conversation(REFUSED, (FUNCTION,)),
        Conversation(FOUND, tools), Conversation(NOTHING_FOUND, tools),
    ):  # fmt: skip
        request = wire(provider).build(conversation, stream=False)
        yield [Exchange(provider, intent=conversation, request=request)]


def _kinds(provider: str, kinds: Mapping[str, Json]) -> Iterator[tuple[str, str]]:
    """The kinds that the types have, and where."""
    forms, at = forms_in_types(provider, "request"), kinds["at"]
    for form in sorted(forms):
        inner = form.removeprefix(at)
        if inner != form and form_kind(form) == kinds["are"] and not inner.strip("[].").count("."):
            kind = inner.strip("[].").removeprefix("type=")
            if kind not in kinds["not"] and "[" not in kind and "(" not in kind:
                yield kind, form


def _values(schema: JsonSchema, place: str) -> list[Json]:
    definitions: Mapping[str, JsonSchema] = schema.get("$defs", {})
    known = place_in(schema, definitions, place)
    if known is None:
        return []
    values = CoveringValues(definitions, place).values(known, place)
    return [*values, *_with_nulls(known, definitions, values[-1])]


def _with_nulls(known: JsonSchema | Branch, definitions: Mapping[str, JsonSchema], least: Json) -> Iterator[Json]:
    """The value with null for what may be left out, where the types take it."""
    if isinstance(known, Branch) and isinstance(least, dict):
        free = (name for name in known.members if name not in known.required)
        nulls = {name: None for name in free if place_of(known.members[name], definitions).nullable}
        if nulls:
            yield {**least, **nulls}


def _name(kind: str, value: Json) -> str:
    own = obj(value).get("name", obj(obj(value).get(kind)).get("name"))
    return own if isinstance(own, str) else kind


def _exchange(provider: str, kind: str, value: Json, choice: Json = None) -> Exchange:
    """The request that declares a tool, and forces it if there is a ``choice``: that names what the tool names."""
    tool = Tool(_name(kind, value), builtin=kind)
    conversation = Conversation((UserTurn("What does a.txt say?"),), (FUNCTION, tool), profile="native")
    if choice is not None:
        conversation = replace(conversation, choice=ToolChoice("tool", tool.name))
    request = wire(provider).build(conversation, stream=False)
    document = decoded_json(request.body)
    document["tools"][-1] = value if isinstance(value, dict) and "type" in value else {kind: value}
    if choice is not None:
        document["tool_choice"] = _naming(choice, value)
    return Exchange(provider, "native", conversation, Request.post_json(request.url, document, request.headers))


def _naming(choice: Json, tool: Json) -> Json:
    """The choice, with the names that the tool has."""
    if not isinstance(choice, dict):
        return choice
    told = obj(tool)
    return {name: _naming(one, told[name]) if name in told else one for name, one in choice.items()} if told else tool
