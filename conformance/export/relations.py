"""Assertions as data: what they mean. ``INTERPRETING.md`` defines the same for a runner in any language.

An assertion is about a *record*: what an adapter was given, what it sent, what it understood. It names places by JSON
pointers in which a step may be ``*``, and one of a closed set of relations that each place must be in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final

from conformance.model import Json
from conformance.rules.check import same_json
from conformance.rules.shared.shape import request_findings
from conformance.rules.shared.standing import end_of

Assertion = Mapping[str, Any]
"""``rule``, ``at``, ``relation``, and as needed ``where``, ``of``, ``value``, ``any``, ``if``, ``or_same_as``."""


class _Absence:
    """Stands for a place where nothing is."""


NOWHERE: Final = _Absence()


def selected(document: Json, at: str) -> Iterator[Json]:
    """What is at a pointer. A step ``*`` leads to every element of a list."""
    yield from _below([document], tuple(at.split("/")[1:]))


def _below(values: Sequence[Json], steps: tuple[str, ...]) -> Sequence[Json]:
    for step in steps:
        values = [inner for value in values for inner in _into(value, step)]
    return values


def _into(value: Json, step: str) -> list[Json]:
    if step == "*":
        return list(value) if isinstance(value, list) else []
    name = step.replace("~1", "/").replace("~0", "~")
    if isinstance(value, dict):
        return [value[name]] if name in value else []
    if isinstance(value, list) and name.isdigit() and int(name) < len(value):
        return [value[int(name)]]
    return []


def value_below(value: Json, at: str) -> Any:
    """What is at a pointer without ``*``, or `NOWHERE`."""
    return next(iter(_below([value], tuple(at.split("/")[1:]))), NOWHERE)


# --- relations of one place ---------------------------------------------------------------------------------------


def _is_there(value: Any) -> bool:
    return value is not NOWHERE and value is not None


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _json_of(value: Any) -> Any:
    try:
        return json.loads(value) if isinstance(value, str) else NOWHERE
    except (ValueError, RecursionError):
        return NOWHERE


KINDS: Mapping[str, Callable[[Any], bool]] = {
    "text": lambda value: isinstance(value, str),
    "object": lambda value: isinstance(value, dict),
    "list": lambda value: isinstance(value, list),
    "boolean": lambda value: isinstance(value, bool),
    "number": _number,
    "null": lambda value: value is None,
    "json": lambda value: _json_of(value) is not NOWHERE,
    "json-object": lambda value: isinstance(_json_of(value), dict),
}
"""The kinds that ``is`` knows. The last two are text that holds JSON."""


@cache
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text)


def _values_in(value: Any) -> Iterator[Any]:
    """A value, all that is in it, and all that is in the JSON that a text is."""
    pending = [value]
    while pending:
        one = pending.pop()
        yield one
        if isinstance(one, str):
            inner = _json_of(one)
            pending += [inner] if isinstance(inner, dict | list) else []
        elif isinstance(one, dict):
            pending += one.values()
        elif isinstance(one, list):
            pending += one


def _tells(value: Any, text: str) -> bool:
    return any(isinstance(one, str) and text in one for one in _values_in(value))


TEXT_PARTS = (None, "text", "input_text", "output_text")
"""The types of parts that hold text. Some formats have parts without a type."""


def _texts_in(value: Any) -> Iterator[str]:
    """The texts of a message's content, in their order: it is a text, or a list of parts."""
    if isinstance(value, str):
        yield value
    for part in value if isinstance(value, list) else ():
        if isinstance(part, dict) and part.get("type") in TEXT_PARTS and isinstance(part.get("text"), str):
            yield part["text"]


def _says(value: Any, text: str) -> bool:
    """Whether the text stands by itself in the texts of a value: on lines, or in parts, of its own."""
    said, edges = "", set[int]()
    for part in _texts_in(value):
        edges |= {len(said) + len(part) - len(part.lstrip()), len(said) + len(part.rstrip())}
        said += part
    return end_of(said, text, 0, edges) is not None


def _includes(value: Any, wanted: Any) -> bool:
    """Whether all that is wanted is there: members of objects may be more, all else is equal."""
    if isinstance(wanted, dict):
        there = isinstance(value, dict) and wanted.keys() <= value.keys()
        return there and all(_includes(value[name], one) for name, one in wanted.items())
    if isinstance(wanted, list):
        return isinstance(value, list) and len(value) == len(wanted) and all(map(_includes, value, wanted))
    return same_json(value, wanted)


def alike(one: Json, other: Json) -> bool:
    """Whether two values mean the same in JSON, where ``5`` and ``5.0`` are one number."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(alike(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(alike, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def _means(value: Any, wanted: Json) -> bool:
    return alike(value, wanted) or alike(_json_of(value), wanted)


PLACE: Mapping[str, Callable[[Any, Any], bool]] = {
    "present": lambda value, _: _is_there(value),
    "absent": lambda value, _: not _is_there(value),
    "is": lambda value, kinds: any(KINDS[kind](value) for kind in kinds),
    "equals": same_json,
    "one-of": lambda value, known: any(same_json(value, one) for one in known),
    "none-of": lambda value, known: not any(same_json(value, one) for one in known),
    "matches": lambda value, pattern: isinstance(value, str) and _pattern(pattern).fullmatch(value) is not None,
    "contains": lambda value, text: isinstance(value, str) and text in value,
    "means": _means,
    "includes": _includes,
    "only-members": lambda value, names: isinstance(value, dict) and value.keys() <= set(names),
    "carries": lambda value, wanted: any(alike(one, wanted) for one in _values_in(value)),
    "says": _says,
    "tells": lambda value, text: _tells(value, text),
    "tells-not": lambda value, text: not _tells(value, text),
}
"""The relations that each place is in by itself, with the assertion's value. ``NOWHERE`` is asked of the first two."""


# --- relations of all places ---------------------------------------------------------------------------------------


def _unique(values: Sequence[Json]) -> bool:
    texts = [json.dumps(value, sort_keys=True) for value in values]
    return len(set(texts)) == len(texts)


def _in_order(values: Sequence[Json], wanted: Sequence[Json]) -> bool:
    places = [place for value in values for place, one in enumerate(wanted) if same_json(value, one)]
    return places == sorted(places)


def _valid(value: Json, provider: str) -> bool:
    """Whether a request's body has the types of the provider's schema."""
    return next(iter(request_findings(provider, value)), None) is None


ALL: Mapping[str, Callable[[Sequence[Json], Any], bool]] = {
    "count": lambda values, number: len(values) == number,
    "at-least": lambda values, number: len(values) >= number,
    "unique": lambda values, _: _unique(values),
    "in-order": _in_order,
}
"""The relations of all places together, which are asked also where there are none."""

RELATIONS = (*PLACE, *ALL, "among", "valid")


# --- assertions ---------------------------------------------------------------------------------------------


def places_of(assertion: Assertion, record: Json) -> list[Any]:
    """The places that an assertion is about, ``of`` included: `NOWHERE` where a place has none."""
    found = [value for at in _listed_pointers(assertion["at"]) for value in selected(record, at)]
    kept = [value for value in found if all(holds_at(value, one) for one in assertion.get("where", ()))]
    inner = assertion.get("of", "")
    return [one for value in kept for one in _led_on(value, inner)] if inner else kept


def _listed_pointers(at: Any) -> list[str]:
    return [at] if isinstance(at, str) else list(at)


def _led_on(value: Json, inner: str) -> Sequence[Any]:
    """Where ``of`` leads from a place: to one value or to `NOWHERE`; with ``*`` in it, to any number of values."""
    found = _below([value], tuple(inner.split("/")[1:]))
    return found if "*" in inner.split("/") else found or [NOWHERE]


NEGATIVE = frozenset({"absent", "none-of", "tells-not"})
"""The relations in which nothing is, where they are conditions."""


def holds_at(value: Json, condition: Assertion) -> bool:
    """Whether a condition about a single value is true of it."""
    inner = value_below(value, condition.get("at", ""))
    if inner is NOWHERE and condition["relation"] != "present":
        return condition["relation"] in NEGATIVE
    return PLACE[condition["relation"]](inner, condition.get("value"))


def is_kept(assertion: Assertion, record: Json) -> bool:
    """Whether an assertion holds of a record. It does where it has nothing to look at."""
    if not all(is_kept(one, record) for one in assertion.get("if", ())):
        return True
    relation, value, places = assertion["relation"], assertion.get("value"), places_of(assertion, record)
    if relation in ALL:
        return ALL[relation]([one for one in places if one is not NOWHERE], value)
    if relation not in ("present", "absent"):
        places = [one for one in places if one is not NOWHERE]
    if relation == "among":
        known = [one for at in _listed_pointers(value) for one in selected(record, at)]
        right = [any(same_json(one, other) for other in known) for one in places]
    elif relation == "valid":
        right = [_valid(one, str(value)) for one in places]
    else:
        right = [PLACE[relation](one, value) for one in places]
    if assertion.get("any"):
        return any(right)
    return all(right) or _is_as_there(assertion, record, places)


FAILED = "/failed"
"""Where a record says whether the adapter failed."""


def broken(assertions: Iterable[Assertion], record: Json) -> list[Assertion]:
    """The assertions that a record breaks. Of an adapter that failed only that is asked; and for types only where
    nothing else is wrong: one mistake is told once."""
    if isinstance(record, dict) and record["failed"]:
        return [one for one in assertions if one["at"] == FAILED and not is_kept(one, record)]
    plain: list[Assertion] = []
    typed: list[Assertion] = []
    for one in assertions:
        (typed if one["relation"] == "valid" else plain).append(one)
    wrong = [one for one in plain if not is_kept(one, record)]
    return wrong or [one for one in typed if not is_kept(one, record)]


def _is_as_there(assertion: Assertion, record: Json, places: Sequence[Json]) -> bool:
    """Whether the values are those of another place of the record, where an assertion is content with that."""
    other = assertion.get("or_same_as")
    return other is not None and same_json(list(places), list(selected(record, other)))
