"""Tools of the provider's own kinds, declared beside a function with every option that their types have.

An application may ask for them; the neutral model only has a word for them (`conformance.model.Tool.builtin`). So the
reference adapter declares them bare, and a dialect says the options. No call of such a tool follows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from conformance.coverage.branches import JsonSchema
from conformance.coverage.documents import forms_in_types, schema_of
from conformance.coverage.forms import form_kind
from conformance.derivation.values import CoveringValues, place_in
from conformance.dialects.tables import table
from conformance.http import Request
from conformance.model import Conversation, Json, Tool, ToolChoice, UserTurn, decoded_json
from conformance.transcript import Exchange
from conformance.wires import wire

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
        for number, choice in enumerate(_values(schema, f"{kinds['chosen']}(type={kind})") if "chosen" in kinds else ()):
            yield f"{kind} chosen {number}", [_exchange(provider, kind, values[0], choice)]


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
    return CoveringValues(definitions, place).values(known, place) if known is not None else []


def _name(kind: str, value: Json) -> str:
    own = value.get("name") if isinstance(value, dict) else None
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
        document["tool_choice"] = {name: value.get(name, one) for name, one in choice.items()}
    return Exchange(provider, "native", conversation, Request.post_json(request.url, document, request.headers))
