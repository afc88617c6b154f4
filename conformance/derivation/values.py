"""Values that show every form of a place: made from the schema of an SDK's type, or from recorded forms alone.

*CoveringValues* values are few: an object's members vary together, and a list holds one item of each kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from itertools import islice
from typing import Any

import yaml

from conformance.coverage.branches import Branch, JsonSchema, place_of
from conformance.coverage.forms import below, branch_at, is_closed, value_form
from conformance.coverage.scope import matches
from conformance.model import Json
from conformance.wires.base import mint
from conformance.wires.places import PlaceStep, steps_of

MOST = 40
"""How many values of one place are made at most."""

LONGEST = 200
"""How many items a list has at most."""

LABEL = re.compile(r"\[[^\]]*\]|\([^)]*\)")
"""What the name of a form says of an item or a branch."""


@cache
def tables() -> Mapping[str, Any]:
    """The tables in ``tables.yaml``."""
    found: Mapping[str, Any] = yaml.safe_load((resources.files(__package__) / "tables.yaml").read_text("utf-8"))
    return found


def leaf(name: str, types: frozenset[str] = frozenset()) -> Json:
    """A value for a member of which only the name and the JSON type are known, if that."""
    for kind, patterns in tables()["leaves"].items():
        for one in patterns if not types or kind in types else ():
            if re.search(one["names"], name):
                return one["value"]
    return next((value for kind, value in tables()["types"].items() if kind in types), "text")


@dataclass(slots=True)
class CoveringValues:
    """Makes values from a schema with these definitions. ``allowed``: only these forms, where one of them is known."""

    definitions: Mapping[str, JsonSchema]
    seed: str = ""
    allowed: Set[str] | None = None
    _made: int = field(default=0)

    def _may(self, form: str) -> bool:
        return self.allowed is None or form in self.allowed

    def values(self, schema: JsonSchema | Branch, at: str) -> list[Json]:
        """Values that have every form at and below ``at``."""
        name = at.rpartition(".")[2].partition("[")[0].partition("(")[0]
        if isinstance(schema, Branch):
            found = self._branch(schema, at.removesuffix("(array)"), name, schema.refs, deep=is_closed(at))
        else:
            branches = place_of(schema, self.definitions).branches
            found = self._of(branches, at, name, frozenset(), in_list=at.endswith("[]"))
        return list(islice(found, MOST))

    def _of(
        self, branches: Sequence[Branch], at: str, name: str, seen: frozenset[str], *, in_list: bool
    ) -> Iterator[Json]:
        told = {branch.label: branch_at(at, branch, in_list=in_list) for branch in branches}
        chosen = [branch for branch in branches if not branch.label or self._may(told[branch.label])]
        for branch in chosen or branches[:1]:
            inside = below(at, branch, in_list=in_list)
            deep = bool(branch.refs & seen) or is_closed(branch_at(at, branch, in_list=in_list)) or is_closed(inside)
            yield from self._branch(branch, inside, name, seen | branch.refs, deep=deep)

    def _branch(self, branch: Branch, at: str, name: str, seen: frozenset[str], *, deep: bool) -> Iterator[Json]:
        if branch.values:
            seen_values = [value for value in branch.values if self._may(value_form(at, value))] or branch.values[:1]
            yield from seen_values[:1] if deep else seen_values
        elif branch.members or branch.told or branch.rest is not None:
            yield from self._objects(branch, at, seen, deep=deep)
        elif branch.items is not None:
            yield [] if deep else self._items(branch.items, at, seen)
        else:
            value = leaf(name, branch.types)
            self._made += 1
            yield mint(f"{self.seed}/{at}/{self._made}", 12, value) if value == "id_" else value

    def _items(self, items: JsonSchema, at: str, seen: frozenset[str]) -> list[Json]:
        name = at.rpartition(".")[2].partition("[")[0]
        branches = place_of(items, self.definitions).branches
        return list(islice(self._of(branches, f"{at}[]", name, seen, in_list=True), LONGEST))

    def _objects(self, branch: Branch, at: str, seen: frozenset[str], *, deep: bool) -> Iterator[Json]:
        """Objects that vary in all members at once, and one with no more members than it must have."""
        told = {branch.told[0]: branch.told[1]} if branch.told is not None and branch.told[1] is not None else {}
        wanted = [name for name in branch.members if name not in told and self._is_wanted(name, branch, at, deep=deep)]
        options = {name: self._member(branch.members[name], f"{at}.{name}", name, seen, deep=deep) for name in wanted}
        if branch.rest is not None and not deep:
            options |= {"key": self._member(branch.rest, f"{at}.*", "key", seen, deep=False)}
        options = {name: values for name, values in options.items() if values}
        for number in range(max(map(len, options.values()), default=1)):
            yield {**told, **{name: values[min(number, len(values) - 1)] for name, values in options.items()}}
        needed = {*branch.required, *tables()["needed"]}
        least = {name: values[0] for name, values in options.items() if not self._may_lack(name, needed, at)}
        if not deep and len(least) < len(options):
            yield {**told, **least}

    def _is_wanted(self, name: str, branch: Branch, at: str, *, deep: bool) -> bool:
        return name in branch.required or (not deep and self._may(f"{at}.{name}"))

    def _may_lack(self, name: str, needed: Set[str], at: str) -> bool:
        return name not in needed and self._may(f"{at}.{name} absent")

    def _member(self, schema: JsonSchema, at: str, name: str, seen: frozenset[str], *, deep: bool) -> list[Json]:
        place = place_of(schema, self.definitions)
        if deep and place.nullable:
            return [None]
        branches = place.branches[:1] if deep else place.branches
        return list(islice(self._of(branches, at, name, seen, in_list=False), 1 if deep else MOST))


def place_in(schema: JsonSchema, definitions: Mapping[str, JsonSchema], at: str) -> JsonSchema | Branch | None:
    """What a schema says of a place; ``None`` where it says nothing."""
    here: JsonSchema | Branch | None = schema
    for step in steps_of(at):
        here = _next(here, definitions, step) if here is not None else None
    return here


def _next(
    here: JsonSchema | Branch, definitions: Mapping[str, JsonSchema], step: PlaceStep
) -> JsonSchema | Branch | None:
    branches = (here,) if isinstance(here, Branch) else place_of(here, definitions).branches
    if step.kind == "told":
        return next((branch for branch in branches if branch.label == step.name), None)
    if step.kind == "member":
        found = [branch.rest if step.name == "*" else branch.members.get(step.name) for branch in branches]
        return next((schema for schema in found if schema is not None), None)
    items = next((branch.items for branch in branches if branch.items is not None), None)
    if items is None or not step.name:
        return items
    return next((branch for branch in place_of(items, definitions).branches if branch.label == step.name), None)


# --- from recorded forms alone ---------------------------------------------------------------------------------------


def recorded_values(at: str, forms: Sequence[str], unions: Sequence[str] = ()) -> list[Json]:
    """Values with the forms that were recorded at and below a place of which no schema tells. At ``unions`` an object
    has one member alone."""
    below_it = [form.removeprefix(at) for form in forms if form.startswith(at)]
    return _recorded(at, unions, [form for form in below_it if form[:1] in (".", "[", "(", " ") and form])[:MOST]


def _recorded(at: str, unions: Sequence[str], forms: Sequence[str]) -> list[Json]:
    name = LABEL.sub("", at).rpartition(".")[2]
    told = [form[3:] for form in forms if form.startswith(" = ")]
    labelled: dict[str, list[str]] = {}
    for form in forms:
        if branch := re.match(r"\(([^)]*)\)(.*)", form):
            labelled.setdefault(branch[1], []).extend([branch[2]] if branch[2] else [])
    if labelled:
        return [value for label, inner in labelled.items() for value in _item(f"{at}({label})", label, unions, inner)]
    members: dict[str, list[str]] = {}
    items: dict[str, list[str]] = {}
    for form in forms:
        if form.startswith("."):
            member = re.match(r"\.([\w$-]+)(.*)", form)
            if member and member[2] != " absent":
                members.setdefault(member[1], []).extend([member[2]] if member[2] else [])
        elif form.startswith("["):
            item = re.match(r"\[([^\]]*)\](.*)", form)
            if item:
                items.setdefault(item[1], []).extend([item[2]] if item[2] else [])
    if items:
        kinds = {label: inner for label, inner in items.items() if label or len(items) == 1}
        return [[value for label, inner in kinds.items() for value in _item(f"{at}[{label}]", label, unions, inner)]]
    if members:
        options = {member: _recorded(f"{at}.{member}", unions, inner) for member, inner in members.items()}
        if matches(at, unions):
            return [{member: value} for member, values in options.items() for value in values]
        count = max(map(len, options.values()))
        return [
            {member: values[min(number, len(values) - 1)] for member, values in options.items()}
            for number in range(count)
        ]
    if told:
        return [None if value == "null" else value for value in told]
    return [leaf(name)]


def _item(at: str, label: str, unions: Sequence[str], forms: Sequence[str]) -> list[Json]:
    key, equals, value = label.partition("=")
    known = label in tables()["types"] and not forms
    found = [tables()["types"][label]] if known else _recorded(at, unions, forms)
    return [{**one, key: value} if equals and isinstance(one, dict) else one for one in found]
