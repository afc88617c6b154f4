"""Holds a value against a form: which options it uses, or why the form does not allow it.

Nothing is converted, as a type checker would not. Three things are allowed that a type checker refuses, because the
documentation of libraries shows them: an object that the library gave out goes back in place of another that has its
fields; a dictionary stands for an object of pydantic's, if its keys and values are those of the fields; and what can be
gone through only once is not looked into.
"""

from __future__ import annotations

import collections.abc
import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.adapters.inventory.forms import (
    ContainerForm,
    ObjectForm,
    OpenForm,
    RecordForm,
    TypeForm,
    UnionForm,
    ValuesForm,
)
from conformance.adapters.inventory.handed import is_handed
from conformance.adapters.inventory.options import Absent, OptionSpot, branches, is_choice, short
from conformance.adapters.inventory.relevance import is_about_tools

DEPTH = 30
"""How deep a value is looked into."""


@dataclass(slots=True)
class MatchingWork:
    """How many more values are looked at: objects of libraries may hold all that was ever said, or themselves."""

    left: int = 20_000

    @property
    def is_done(self) -> bool:
        """Whether no more is looked at. Asking costs one."""
        self.left -= 1
        return self.left < 0


@dataclass(slots=True)
class FormMatch:
    """What became of a value. ``wrong`` says where and why it is not allowed; there are options only where it is."""

    options: list[str] = field(default_factory=list)
    wrong: str | None = None
    depth: int = 0
    """How far the value was understood before something was wrong."""

    def inside(self, other: FormMatch) -> bool:
        """Take in what became of a part. Whether it was right."""
        self.options += other.options
        self.wrong = other.wrong
        self.depth = max(self.depth, other.depth + 1)
        return other.wrong is None


def matched(name: str, form: TypeForm, value: Any, absent: Absent = frozenset()) -> FormMatch:
    """What became of the value of a parameter."""
    if type(value) in absent:
        return FormMatch()
    return _held(MatchingWork(), OptionSpot(name, form, is_about_tools(name)), value, name, absent, 0)


def _held(work: MatchingWork, spot: OptionSpot, value: Any, path: str, absent: Absent, depth: int) -> FormMatch:
    """A value at a place. Of the branches that a union has, the first that allows it counts, the most special first."""
    if work.is_done:
        return FormMatch()
    every = branches(spot.form, absent)
    if value is None and _allows_none(spot.form):
        return FormMatch()
    best: FormMatch | None = None
    for branch in sorted(every, key=lambda one: (not _is_just(one, value), _vagueness(one))):
        tried = _branch(work, OptionSpot(spot.name, branch, spot.within), value, path, depth)
        if tried.wrong is None:
            if is_choice(spot.form, absent):
                tried.options.insert(0, spot.option(_word(branch, value)))
            return tried
        if best is None or tried.depth > best.depth:
            best = tried
    if best is not None and (len(every) == 1 or best.depth):
        return best
    return FormMatch(wrong=f"{path}: {_shown(value)} is none of {spot.form.text}")


def _allows_none(form: TypeForm) -> bool:
    every = form.branches if isinstance(form, UnionForm) else (form,)
    return any(isinstance(one, OpenForm) or (isinstance(one, ObjectForm) and one.kind is type(None)) for one in every)


def _is_just(form: TypeForm, value: Any) -> bool:
    """Whether a value is an object of the very class."""
    return isinstance(form, RecordForm) and not form.is_dictionary and isinstance(value, form.kind)


def _vagueness(form: TypeForm) -> int:
    """Special forms first: a dictionary with named keys before one with any."""
    order: tuple[type[TypeForm], ...] = (ValuesForm, RecordForm, ObjectForm, ContainerForm, UnionForm, OpenForm)
    return order.index(type(form))


def _word(branch: TypeForm, value: Any) -> str:
    return repr(getattr(value, "value", value)) if isinstance(branch, ValuesForm) else short(branch)


def _branch(work: MatchingWork, spot: OptionSpot, value: Any, path: str, depth: int) -> FormMatch:
    """A value held against one form that is no union."""
    match spot.form:
        case ValuesForm(values=values):
            right = any(type(one) is type(value) and one == value for one in values)
        case RecordForm() as record:
            return _record(work, record, spot, value, path, depth)
        case ContainerForm() as many:
            return _items(work, many, spot, value, path, depth)
        case ObjectForm(kind=kind):
            right = _is_a(value, kind)
        case _:
            right = True
    return FormMatch() if right else FormMatch(wrong=f"{path}: {_shown(value)} is not {spot.form.text}")


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


def _items(work: MatchingWork, many: ContainerForm, spot: OptionSpot, value: Any, path: str, depth: int) -> FormMatch:
    if not _is_a(value, many.kind):
        return FormMatch(wrong=f"{path}: {_shown(value)} is not {many.text}")
    found = FormMatch()
    if not many.items or depth > DEPTH or not isinstance(value, collections.abc.Collection):
        return found
    if isinstance(value, str | bytes):  # each of their items is what they are themselves
        return found if _is_text(many) else FormMatch(wrong=f"{path}: {_shown(value)} is not {many.text}")
    for place, item in value.items() if isinstance(value, Mapping) else enumerate(value):
        form = many.items[place] if _is_fixed(many, value) else many.items[0]
        inner = OptionSpot(spot.name, form, spot.within)
        if not found.inside(_held(work, inner, item, f"{path}[{place!r}]", frozenset(), depth + 1)):
            break
    return found


def _is_fixed(many: ContainerForm, value: Any) -> bool:
    return issubclass(many.kind, tuple) and len(many.items) == len(value) > 1


def _is_text(many: ContainerForm) -> bool:
    return any(isinstance(one, ObjectForm) and one.kind is str for one in many.items)


def _record(work: MatchingWork, record: RecordForm, spot: OptionSpot, value: Any, path: str, depth: int) -> FormMatch:
    given, wrong = _given(record, value)
    meant = None if _is_just(record, value) else _is_meant(record, given)  # of its own objects a library knows best
    if wrong or meant is False:
        return FormMatch(wrong=f"{path}: {wrong or f'{_shown(value)} is no {record.text}'}", depth=int(bool(meant)))
    found = FormMatch(depth=int(bool(meant)))
    within = spot.within or is_about_tools(record.kind.__name__)
    is_own = not isinstance(value, Mapping) or is_handed(value)
    for name, inner in given.items() if depth < DEPTH else ():
        place = record.places.get(name)
        if place is None:
            if is_own or record.is_open or (record.is_dictionary and name in record.wider):
                continue
            return FormMatch(wrong=f"{path}: {record.text} has no {name!r}", depth=found.depth)
        if not place.required:
            found.options.append(f"{record.text}.{name}")
        at = OptionSpot(f"{record.text}.{name}", place.form, within or is_about_tools(name))
        became = _held(work, at, inner, f"{path}.{name}", frozenset(), depth + 1)
        if is_own:  # the library made it, or checked it itself
            became.wrong = None
        if not found.inside(became):
            return found
    return found


def _given(record: RecordForm, value: Any) -> tuple[dict[str, Any], str | None]:
    """The fields that were given, or what is wrong."""
    if isinstance(value, Mapping):
        if not record.is_dictionary and not record.is_pydantic:
            return {}, f"a dictionary is no {record.text}"
        given = {record.aliases.get(name, name): item for name, item in value.items()}
        lacking = [name for name, place in record.places.items() if place.required and name not in given]
        wrong = f"{record.text} lacks {lacking[0]!r}" if lacking and not is_handed(value) else None
        return given, wrong
    if not record.is_dictionary and isinstance(value, record.kind):
        return dict(_set_fields(value)), None
    names = dict(_said_fields(value)) if _is_data(value) and (record.is_dictionary or record.is_pydantic) else {}
    lacks = any(place.required and name not in names for name, place in record.places.items())
    fits = not lacks and not names.keys().isdisjoint(record.places)
    return names, None if fits else f"{_shown(value)} is no {record.text}"


def _is_meant(record: RecordForm, given: Mapping[str, Any]) -> bool | None:
    """Whether a field that says which record it is, by its one value, has that value; ``None`` where there is none."""
    tags = {name: place.form for name, place in record.places.items() if isinstance(place.form, ValuesForm)}
    told = [given[name] in form.values for name, form in tags.items() if name in given and len(form.values) == 1]
    return all(told) if told else None


def _is_data(value: Any) -> bool:
    return hasattr(type(value), "model_fields") or (dataclasses.is_dataclass(value) and not isinstance(value, type))


def _said_fields(value: Any) -> Iterator[tuple[str, Any]]:
    """The fields that say something, also those that say so by themselves, such as a role."""
    names = getattr(type(value), "model_fields", None) or [one.name for one in dataclasses.fields(value)]
    yield from ((name, held) for name in names if (held := getattr(value, name, None)) is not None)


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
