"""Which forms a document has, and where: the names are those of `conformance.coverage.forms`.

What the schema does not know is named by the same rules from the document itself: members by their names, items by
their ``type`` or ``role``. Where that would name data and not form (a tool's arguments, a schema), it is not opened:
``loose.yaml`` has the list.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import NamedTuple

import yaml

from conformance.coverage.branches import NOTHING, TELLTALES, Branch, JsonSchema, SchemaPlace, json_type, place_of
from conformance.coverage.forms import below, branch_at, is_closed, value_form
from conformance.model import Json

FormPath = tuple[str | int, ...]

MEMBER = re.compile(r"[A-Za-z_$][\w$-]{0,40}")
"""A key that is a name. Others are data."""

SLUG = re.compile(r"[A-Za-z][\w.-]{0,60}")
"""A text that may be a word of a closed set."""

DEEPEST_DOCUMENT = 40


class Occurrence(NamedTuple):
    """A form at a place of a document. ``options`` are the other values that the schema has there."""

    form: str
    path: FormPath
    options: Sequence[Json] = ()


@cache
def loose() -> Mapping[str, frozenset[str]]:
    """The lists in ``loose.yaml``."""
    text = (resources.files(__package__) / "loose.yaml").read_text("utf-8")
    return {name: frozenset(words) for name, words in yaml.safe_load(text).items()}


@dataclass(frozen=True, slots=True)
class FormWalker:
    """Finds the forms of documents by one schema. Without a schema all is named from the document."""

    schema: JsonSchema | None
    _places: dict[int, SchemaPlace] = field(default_factory=dict)

    def occurrences(self, document: Json, side: str) -> Iterator[Occurrence]:
        """Every form that a document has."""
        return self._value(document, self.schema, side, (), frozenset(), in_list=False)

    def _place(self, schema: JsonSchema) -> SchemaPlace:
        """The branches of a part of the schema, read once. Parts live as long as the whole: their ids are theirs."""
        if id(schema) not in self._places:
            self._places[id(schema)] = place_of(schema, (self.schema or NOTHING).get("$defs", NOTHING))
        return self._places[id(schema)]

    def _value(
        self, value: Json, schema: JsonSchema | None, at: str, path: FormPath, seen: frozenset[str], *, in_list: bool
    ) -> Iterator[Occurrence]:
        if len(path) > DEEPEST_DOCUMENT or is_closed(at):
            return
        if value is None:
            yield Occurrence(f"{at} = null", path)
            return
        if schema is None:
            yield from self._loose(value, at, path, in_list=in_list)
            return
        place = self._place(schema)
        branch = next((one for one in place.branches if _takes(one, value)), None)
        if branch is None:
            yield from self._loose(value, at, path, in_list=in_list)
            return
        if branch.label:
            yield Occurrence(branch_at(at, branch, in_list=in_list), path, _others(place.branches, branch))
        inside = below(at, branch, in_list=in_list)
        if branch.refs & seen or is_closed(inside):
            return
        yield from self._known(value, branch, inside, path, seen | branch.refs)

    def _known(
        self, value: Json, branch: Branch, at: str, path: FormPath, seen: frozenset[str]
    ) -> Iterator[Occurrence]:
        if isinstance(value, dict):
            yield from self._members(value, branch, at, path, seen)
        elif isinstance(value, list) and branch.items is not None:
            yield from self._items(value, branch.items, at, path, seen)
        elif value in branch.values:
            yield Occurrence(value_form(at, value), path, [one for one in branch.values if one != value])
        elif isinstance(value, str) and _is_word(at, value):
            yield Occurrence(value_form(at, value), path, branch.values)

    def _items(
        self, items: list[Json], schema: JsonSchema | None, at: str, path: FormPath, seen: frozenset[str]
    ) -> Iterator[Occurrence]:
        if items:
            yield Occurrence(f"{at}[]", (*path, 0))
        for place, item in enumerate(items):
            yield from self._value(item, schema, f"{at}[]", (*path, place), seen, in_list=True)

    def _members(
        self, value: Mapping[str, Json], branch: Branch, at: str, path: FormPath, seen: frozenset[str]
    ) -> Iterator[Occurrence]:
        for name, inner in value.items():
            known = branch.members.get(_camel(name) if name not in branch.members else name)
            named = name if name in branch.members or known is None else _camel(name)
            if known is None and branch.rest is not None:
                known, named = branch.rest, "*"
            if known is None and not branch.members:
                return
            if known is None and not MEMBER.fullmatch(name):
                continue
            member, place = f"{at}.{named}", (*path, name)
            yield Occurrence(member, place)
            if branch.told is None or branch.told[0] != named:
                open_member = known is None and name in loose()["open"]
                if not open_member:
                    yield from self._value(inner, known, member, place, seen, in_list=False)
        for name in branch.members:
            if name not in branch.required and name not in value:
                yield Occurrence(f"{at}.{name} absent", (*path, name))

    def _loose(self, value: Json, at: str, path: FormPath, *, in_list: bool) -> Iterator[Occurrence]:
        """What no schema tells."""
        if isinstance(value, dict):
            told = next(((name, value[name]) for name in TELLTALES if _is_slug(value.get(name))), None)
            if told is not None:
                branch = Branch(f"{told[0]}={told[1]}", told=told)
                at = branch_at(at, branch, in_list=in_list)
                yield Occurrence(at, path)
                if is_closed(at):
                    return
            for name, inner in value.items():
                if MEMBER.fullmatch(name):
                    yield Occurrence(f"{at}.{name}", (*path, name))
                    if (told is None or told[0] != name) and name not in loose()["open"]:
                        yield from self._value(inner, None, f"{at}.{name}", (*path, name), frozenset(), in_list=False)
        elif isinstance(value, list):
            yield from self._items(value, None, at, path, frozenset())
        elif isinstance(value, str) and _is_word(at, value):
            yield Occurrence(value_form(at, value), path)


def _takes(branch: Branch, value: Json) -> bool:
    if branch.types and json_type(value) not in branch.types:
        return False
    if branch.told is None:
        return True
    if not isinstance(value, dict):
        return False
    name, wanted = branch.told
    return bool(value.get(name) == wanted)


def _others(branches: Sequence[Branch], taken: Branch) -> list[Json]:
    """The other values of a discriminator."""
    return [one.told[1] for one in branches if one.told and one is not taken and one.told[1] is not None]


def _is_slug(value: Json) -> bool:
    return isinstance(value, str) and SLUG.fullmatch(value) is not None


def _is_word(at: str, value: str) -> bool:
    """Whether a text is a word of a closed set of which no schema tells."""
    return at.rpartition(".")[2] in loose()["closed"] and SLUG.fullmatch(value) is not None


def _camel(name: str) -> str:
    """A name as Google writes it in JSON, where it may also be written with underscores."""
    head, *rest = name.split("_")
    return head + "".join(part[:1].upper() + part[1:] for part in rest)
