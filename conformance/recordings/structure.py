"""The structure of recorded answers: which fields and events there are, and of which types, without their values.

Two recordings of one scenario say different words under different ids. What may not change unnoticed is their form.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from conformance.http import FramingError
from conformance.model import Json
from conformance.recordings.interaction import Interaction
from conformance.wires import wire

TELLING = ("type", "object", "event", "role", "finish_reason", "finishReason", "stop_reason", "done_reason", "status")
"""Fields whose values are words of the format, so that they count too."""

Structure = Mapping[str, frozenset[str]]
"""Types, or telling values, by place: the number of the answer and a path in it, in which list items are ``*`` and
events go by their names."""


@dataclass(frozen=True, slots=True)
class StructureChange:
    """One place at which two recordings differ: ``new``, ``gone`` or ``retyped``."""

    place: str
    kind: str
    before: str
    after: str

    def __str__(self) -> str:
        words = {"new": f"new, {self.after}", "gone": f"gone, was {self.before}"}
        return f"{self.place}: {words.get(self.kind, f'{self.before} became {self.after}')}"


def structure(provider: str, interactions: Iterable[Interaction]) -> Structure:
    """The structure of the answers of a cassette, each under its number."""
    found: dict[str, set[str]] = {}
    for number, interaction in enumerate(interactions, 1):
        found[f"answer {number}"] = {"an answer"}
        for place, kind in _documents(provider, interaction):
            found.setdefault(f"answer {number}/{place}", set()).add(kind)
    return {place: frozenset(kinds) for place, kinds in found.items()}


def structure_changes(before: Structure, after: Structure) -> list[StructureChange]:
    """Where two structures differ, in the order of places. A place below one that is new or gone is not told again."""
    found: list[StructureChange] = []
    for place in sorted(before.keys() | after.keys()):
        old, new = before.get(place, frozenset()), after.get(place, frozenset())
        told = any(place.startswith(f"{one.place}/") for one in found if one.kind in ("new", "gone"))
        if old == new or told:
            continue
        kind = "new" if not old else "gone" if not new else "retyped"
        found.append(StructureChange(place, kind, _listed(old), _listed(new)))
    return found


def _listed(kinds: frozenset[str]) -> str:
    return " or ".join(sorted(kinds))


def _documents(provider: str, interaction: Interaction) -> Iterator[tuple[str, str]]:
    yield "status", str(interaction.status)
    try:
        yield from _places(json.loads(interaction.body), "body")
        return
    except (ValueError, RecursionError):
        pass
    try:
        events = list(wire(provider).events(interaction.chunks))
    except FramingError:
        yield "body", "unreadable"
        return
    for event in events:
        try:
            document = json.loads(event.data)
        except ValueError:
            yield f"event {event.data[:20]}", "text"
            continue
        name = event.event or (document.get("type") if isinstance(document, dict) else None) or "event"
        yield from _places(document, f"event {name}" if name != "event" else "event")


def _places(value: Json, place: str) -> Iterator[tuple[str, str]]:
    yield place, _type(value)
    if isinstance(value, dict):
        for key, item in value.items():
            if key in TELLING and isinstance(item, str):
                yield f"{place}/{key}", repr(item)
            else:
                yield from _places(item, f"{place}/{key}")
    elif isinstance(value, list):
        for item in value:
            yield from _places(item, f"{place}/*")


def _type(value: Json) -> str:
    names = {dict: "object", list: "list", str: "text", bool: "boolean", int: "integer", float: "number"}
    return "null" if value is None else names[type(value)]
