"""The forms of a format: a flat set of names, one for each thing that a document of it may have.

| name | kind |
|---|---|
| `request.messages[role=tool].tool_call_id` | member |
| `request.messages[role=tool]`, `request.tool_choice(string)` | branch of a union, by its discriminator or JSON type |
| `response.choices[].finish_reason = length` | value of a closed set |
| `response.choices[].message.content = null` | null |
| `request.tools absent` | an optional member that is not there |
| `stream: message_start → content_block_start` | two events, one after the other |

The names stop in three places, so that there is an end of them. A type that holds itself is named where it comes for
the second time on the way down, and not opened. Of unions within unions within unions, the third is only named. An
event that carries a whole response is not opened: that is the response's side.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Literal

from conformance.coverage.branches import Branch, JsonSchema, place_of
from conformance.model import Json

FormKind = Literal["member", "branch", "value", "null", "absent", "order"]
FormSide = Literal["request", "response", "stream"]
Reason = Literal["not about tools", "deprecated", "server-side only", "needs a second account"]

SIDES: tuple[FormSide, ...] = ("request", "response", "stream")
IN_TYPES: frozenset[FormKind] = frozenset({"member", "branch", "value"})
"""What is counted of an SDK's types. Null, absence and order count where they were recorded."""


DEEPEST = 2
"""How many unions within each other are opened."""

WHOLE_RESPONSE = re.compile(r"stream\(type=(response\.\w+|message_start)\)\.(response|message)")
"""Members of events that hold a whole response."""


def forms_of(schema: JsonSchema, side: str) -> frozenset[str]:
    """Every form of a schema."""
    return frozenset(_walk(schema, schema.get("$defs", {}), side, frozenset()))


def form_kind(form: str) -> FormKind:
    """The kind of a form, from its name."""
    if " → " in form:
        return "order"
    if form.endswith(" absent"):
        return "absent"
    if form.endswith(" = null"):
        return "null"
    if " = " in form:
        return "value"
    return "branch" if form.endswith((")", "]")) and not form.endswith("[]") else "member"


def side_of(form: str) -> str:
    """The side of the exchange that a form is on."""
    return form.partition(".")[0].partition(":")[0].partition("(")[0]


def parents(form: str) -> Iterator[str]:
    """The forms above a form, the nearest first: where one of them is not, it cannot be."""
    head, equals, _ = form.partition(" = ")
    if equals:
        yield head
    cuts = [place for place, letter in enumerate(head) if letter in ".[(" and not _in_label(head, place)]
    yield from (head[:cut] for cut in reversed(cuts))


def _in_label(name: str, place: int) -> bool:
    before = name[:place]
    return before.count("[") > before.count("]") or before.count("(") > before.count(")")


def value_form(at: str, value: Json) -> str:
    """The form of a value of a closed set."""
    return f"{at} = {value if isinstance(value, str) else json.dumps(value)}"


def is_closed(at: str) -> bool:
    """Whether what is at a place is named, and not opened."""
    told = at.count("=") + at.count("[no ") + at.count("(no ")
    return told > DEEPEST or WHOLE_RESPONSE.fullmatch(at) is not None


def branch_at(at: str, branch: Branch, *, in_list: bool) -> str:
    """The name of a place once it is known which branch is taken. ``at`` of a list's item ends in ``[]``."""
    if in_list:
        return f"{at[:-1]}{branch.label}]"
    return f"{at}({branch.label})" if branch.label else at


def below(at: str, branch: Branch, *, in_list: bool) -> str:
    """Where the items of a branch are named: lists inside of unions do not repeat that they are lists."""
    return at if branch.label in ("array", "object") and not in_list else branch_at(at, branch, in_list=in_list)


def _walk(
    schema: JsonSchema, definitions: Mapping[str, JsonSchema], at: str, seen: frozenset[str], *, in_list: bool = False
) -> Iterator[str]:
    if is_closed(at):
        return
    place = place_of(schema, definitions)
    if place.nullable:
        yield f"{at} = null"
    for branch in place.branches:
        if branch.label:
            yield branch_at(at, branch, in_list=in_list)
        if branch.refs & seen:
            continue
        inside = below(at, branch, in_list=in_list)
        if is_closed(inside):
            continue
        yield from (value_form(inside, value) for value in branch.values)
        yield from _inside(branch, definitions, inside, seen | branch.refs)


def _inside(branch: Branch, definitions: Mapping[str, JsonSchema], at: str, seen: frozenset[str]) -> Iterator[str]:
    for name, schema in branch.members.items():
        member = f"{at}.{name}"
        yield member
        if name not in branch.required:
            yield f"{member} absent"
        if branch.told is None or branch.told[0] != name:
            yield from _walk(schema, definitions, member, seen)
    if branch.rest is not None:
        yield f"{at}.*"
        yield from _walk(branch.rest, definitions, f"{at}.*", seen)
    if branch.items is not None:
        yield f"{at}[]"
        yield from _walk(branch.items, definitions, f"{at}[]", seen, in_list=True)
