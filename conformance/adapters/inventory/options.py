"""Options: what a user may choose inside of a parameter.

They are the branches of unions, the values of ``Literal`` and enums, and the fields of records that may be left out.
An option counts when it leads to tools, or stands inside of something whose name is about tools. Records name each
other in circles, so an option is named by its record, not by the way to it: ``FunctionDefinition.strict``,
``tool_choice: 'required'``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from types import NoneType

from conformance.adapters.inventory.forms import ContainerForm, ObjectForm, RecordForm, TypeForm, UnionForm, ValuesForm
from conformance.adapters.inventory.relevance import is_about_tools, leads_to_tools

MOST = 50_000
"""How many places of one parameter are looked at."""

Absent = frozenset[type]
"""The classes whose objects say that nothing was given, such as openai's ``Omit``."""


@dataclass(frozen=True, slots=True)
class OptionSpot:
    """A place in a parameter. ``name`` is its own: the parameter's, or that of a record and its field."""

    name: str
    form: TypeForm
    within: bool
    """Whether something around it is about tools by its name."""

    def option(self, words: str) -> str:
        """The name of a choice that is made here."""
        return f"{self.name}: {words}"

    @property
    def item(self) -> Iterator[OptionSpot]:
        """What a container holds is at the same place."""
        if isinstance(self.form, ContainerForm):
            yield from (OptionSpot(self.name, one, self.within) for one in self.form.items)


def branches(form: TypeForm, absent: Absent = frozenset()) -> list[TypeForm]:
    """The branches of a union, or the form itself, without those that say that nothing is given."""
    every = form.branches if isinstance(form, UnionForm) else (form,)
    nothing = {NoneType, *absent}
    return [one for one in every if not (isinstance(one, ObjectForm) and one.kind in nothing)]


def words(form: TypeForm) -> list[str]:
    """How the choices of one branch are named: each value, or the branch."""
    if isinstance(form, ValuesForm):
        return [repr(getattr(value, "value", value)) for value in form.values]
    return [short(form)]


def short(form: TypeForm) -> str:
    """The name of a branch. What a container holds is told at the options of its items."""
    if isinstance(form, ContainerForm) and any(isinstance(item, UnionForm) for item in form.items):
        return f"{form.kind.__name__}[…]"
    return form.text


def is_choice(form: TypeForm, absent: Absent = frozenset()) -> bool:
    """Whether there is anything to choose."""
    return sum(len(words(branch)) for branch in branches(form, absent)) > 1


def fields(record: RecordForm, within: bool) -> Iterator[tuple[OptionSpot, bool]]:
    """The fields of a record that are about tools, each with whether a user may leave it out."""
    within = within or is_about_tools(record.kind.__name__)
    for name, place in record.places.items():
        named = within or is_about_tools(name)
        if named or leads_to_tools(place.form):
            yield OptionSpot(f"{record.text}.{name}", place.form, named), not place.required


def counted(name: str, form: TypeForm, absent: Absent = frozenset()) -> list[str]:
    """The options of a parameter, each once, in their order."""
    found: dict[str, None] = {}
    start = OptionSpot(name, form, is_about_tools(name))
    queue, seen = [start], {start}
    for spot in queue:
        missing = absent if spot is start else frozenset()
        found.update(dict.fromkeys(_chosen(spot, missing)))
        for inner, option in _inner(spot, missing):
            if option:
                found[option] = None
            if inner not in seen and len(seen) < MOST:
                seen.add(inner)
                queue.append(inner)
    return list(found)


def _chosen(spot: OptionSpot, absent: Absent) -> Iterator[str]:
    """The choices at one place."""
    if is_choice(spot.form, absent):
        for branch in branches(spot.form, absent):
            if spot.within or leads_to_tools(branch):
                yield from map(spot.option, words(branch))


def _inner(spot: OptionSpot, absent: Absent) -> Iterator[tuple[OptionSpot, str]]:
    """The places right inside of a place, each with the option that it is, if it is one."""
    for branch in branches(spot.form, absent):
        here = OptionSpot(spot.name, branch, spot.within)
        yield from ((item, "") for item in here.item)
        if isinstance(branch, RecordForm):
            for field, may_lack in fields(branch, spot.within):
                yield field, field.name if may_lack else ""
