"""Holds a value against a form: which options it uses, or why the form does not allow it.

Nothing is converted, as a type checker would not. Two things are allowed that a type checker refuses, because the
documentation of libraries shows them: an object that the library itself gave out goes back in place of a dictionary with
the same fields, and what can be gone through only once is not looked into.
"""

from __future__ import annotations

import collections.abc
import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.adapters.inventory.forms import Anything, Either, Form, Instance, Many, Record, Words
from conformance.adapters.inventory.options import Absent, Spot, branches, is_choice, short
from conformance.adapters.inventory.relevance import is_about_tools

DEPTH = 40
"""How deep a value is looked into."""


@dataclass(slots=True)
class Matched:
    """What became of a value. ``wrong`` says where and why it is not allowed; there are options only where it is."""

    options: list[str] = field(default_factory=list)
    wrong: str | None = None
    depth: int = 0
    """How far the value was understood before something was wrong."""

    def inside(self, other: Matched) -> bool:
        """Take in what became of a part. Whether it was right."""
        self.options += other.options
        self.wrong = other.wrong
        self.depth = max(self.depth, other.depth + 1)
        return other.wrong is None


def matched(name: str, form: Form, value: Any, absent: Absent = frozenset()) -> Matched:
    """What became of the value of a parameter."""
    if type(value) in absent:
        return Matched()
    return _held(Spot(name, form, is_about_tools(name)), value, name, absent, 0)


def _held(spot: Spot, value: Any, path: str, absent: Absent, depth: int) -> Matched:
    """A value at a place. Of the branches that a union has, the first that allows it counts, the most special first."""
    every = branches(spot.form, absent)
    if value is None and _allows_none(spot.form):
        return Matched()
    best: Matched | None = None
    for branch in sorted(every, key=_vagueness):
        tried = _branch(Spot(spot.name, branch, spot.within), value, path, depth)
        if tried.wrong is None:
            if is_choice(spot.form, absent):
                tried.options.insert(0, spot.option(_word(branch, value)))
            return tried
        if best is None or tried.depth > best.depth:
            best = tried
    if best is not None and (len(every) == 1 or best.depth):
        return best
    return Matched(wrong=f"{path}: {_shown(value)} is none of {spot.form.text}")


def _allows_none(form: Form) -> bool:
    every = form.branches if isinstance(form, Either) else (form,)
    return any(isinstance(one, Anything) or (isinstance(one, Instance) and one.kind is type(None)) for one in every)


def _vagueness(form: Form) -> int:
    """Special forms first: a dictionary with named keys before one with any."""
    order: tuple[type[Form], ...] = (Words, Record, Instance, Many, Either, Anything)
    return order.index(type(form))


def _word(branch: Form, value: Any) -> str:
    return repr(getattr(value, "value", value)) if isinstance(branch, Words) else short(branch)


def _branch(spot: Spot, value: Any, path: str, depth: int) -> Matched:
    """A value held against one form that is no union."""
    match spot.form:
        case Words(values=values):
            right = any(type(one) is type(value) and one == value for one in values)
        case Record() as record:
            return _record(record, spot, value, path, depth)
        case Many() as many:
            return _items(many, spot, value, path, depth)
        case Instance(kind=kind):
            right = _is_a(value, kind)
        case _:
            right = True
    return Matched() if right else Matched(wrong=f"{path}: {_shown(value)} is not {spot.form.text}")


def _is_a(value: Any, kind: Any) -> bool:
    """Whether a value is of a class. An int is a float, too (PEP 484); of most protocols nobody can tell."""
    if kind is float and type(value) is int:
        return True
    if kind is int and isinstance(value, bool):
        return False
    try:
        return isinstance(value, kind)
    except TypeError:
        return True


def _items(many: Many, spot: Spot, value: Any, path: str, depth: int) -> Matched:
    if not _is_a(value, many.kind):
        return Matched(wrong=f"{path}: {_shown(value)} is not {many.text}")
    found = Matched()
    if not many.items or depth > DEPTH or not isinstance(value, collections.abc.Collection):
        return found
    if isinstance(value, str | bytes):  # each of their items is what they are themselves
        return found if _is_text(many) else Matched(wrong=f"{path}: {_shown(value)} is not {many.text}")
    is_mapping = isinstance(value, Mapping)
    for place, item in value.items() if is_mapping else enumerate(value):
        form = many.items[place] if _is_fixed(many, value) else many.items[-1 if is_mapping else 0]
        inner = Spot(spot.name, form, spot.within)
        if not found.inside(_held(inner, item, f"{path}[{place!r}]", frozenset(), depth + 1)):
            break
    return found


def _is_fixed(many: Many, value: Any) -> bool:
    return issubclass(many.kind, tuple) and len(many.items) == len(value) > 1


def _is_text(many: Many) -> bool:
    return any(isinstance(one, Instance) and one.kind is str for one in many.items)


def _record(record: Record, spot: Spot, value: Any, path: str, depth: int) -> Matched:
    given, wrong = _given(record, value)
    if wrong:
        return Matched(wrong=f"{path}: {wrong}")
    found = Matched()
    within = spot.within or is_about_tools(record.kind.__name__)
    is_own = not isinstance(value, Mapping)
    for name, inner in given.items() if depth < DEPTH else ():
        place = record.places.get(name)
        if place is None:
            if is_own:
                continue
            return Matched(wrong=f"{path}: {record.text} has no {name!r}", depth=found.depth)
        if not place.required:
            found.options.append(f"{record.text}.{name}")
        at = Spot(f"{record.text}.{name}", place.form, within or is_about_tools(name))
        became = _held(at, inner, f"{path}.{name}", frozenset(), depth + 1)
        if is_own:  # the library made it, or checked it itself
            became.wrong = None
        if not found.inside(became):
            return found
    return found


def _given(record: Record, value: Any) -> tuple[dict[str, Any], str | None]:
    """The fields that were given, or what is wrong."""
    if isinstance(value, Mapping):
        if not record.is_dictionary:
            return {}, f"a dictionary is no {record.text}"
        lacking = [name for name, place in record.places.items() if place.required and name not in value]
        return dict(value), f"{record.text} lacks {lacking[0]!r}" if lacking else None
    if record.is_dictionary and _is_data(value):
        names = dict(_set_fields(value))
        fits = not _tag_differs(record, names) and all(
            name in names for name, place in record.places.items() if place.required
        )
        return names, None if fits else f"{_shown(value)} is no {record.text}"
    if isinstance(value, record.kind):
        return dict(_set_fields(value)), None
    return {}, f"{_shown(value)} is no {record.text}"


def _tag_differs(record: Record, given: Mapping[str, Any]) -> bool:
    """Whether a field that can have but one value has another."""
    single = ((name, place.form) for name, place in record.places.items() if name in given)
    return any(isinstance(form, Words) and given[name] not in form.values for name, form in single)


def _is_data(value: Any) -> bool:
    return hasattr(type(value), "model_fields") or (dataclasses.is_dataclass(value) and not isinstance(value, type))


def _set_fields(value: Any) -> Iterator[tuple[str, Any]]:
    """The fields of an object that say something: of pydantic's those that were set, else those that are not None."""
    known = getattr(value, "model_fields_set", None)
    if known is not None:
        yield from ((name, getattr(value, name)) for name in known if hasattr(value, name))
    elif dataclasses.is_dataclass(value):
        for one in dataclasses.fields(value):
            held = getattr(value, one.name, None)
            if held is not None and (one.default is dataclasses.MISSING or held != one.default):
                yield one.name, held


def _shown(value: Any) -> str:
    text = repr(value) if isinstance(value, str | bytes | int | float | None) else type(value).__name__
    return text if len(text) <= 60 else f"{text[:60]}…"
