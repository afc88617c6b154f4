"""A dialect: a rewriting of a request into another spelling that means the same.

Most are steps in ``table.yaml``. A step goes to every place that is named, as `conformance.wires.places` reads it:

| step | what it does |
|---|---|
| ``put`` | says a member that is not there |
| ``set`` | writes another value; ``(it)`` in it is the old one |
| ``parts`` | the same for a text that is not blank, because of blank ones no part is made |
| ``drop`` | leaves a member out |
| ``one text`` | writes a list of one text as the text |
| ``call`` | what needs more than one place: a function of `conformance.dialects.steps` |
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.dialects.steps import CALLS
from conformance.model import Json
from conformance.transcript import Exchange
from conformance.wires.places import Spot, spots, steps_of

IT = "(it)"
"""In a value: what stood there before."""


@dataclass(frozen=True, slots=True)
class DialectStep:
    """One step of a rewriting. ``only``: where the value is one of these; ``beside``, ``without``: where the member's
    holder has, or has not, these members."""

    do: str
    at: str = ""
    value: Json = None
    only: tuple[Json, ...] | None = None
    beside: tuple[str, ...] = ()
    without: tuple[str, ...] = ()

    def on(self, document: dict[str, Json], exchange: Exchange) -> bool:
        """Carry it out. Returns whether it changed anything."""
        if self.do == "call":
            return CALLS[self.at](document, exchange)
        found = [spot for spot in spots(document, steps_of(self.at)) if self._fits(spot)]
        for spot in reversed(found):  # items behind one that goes keep their numbers until it is their turn
            DOINGS[self.do](spot, self.value)
        return bool(found)

    def _fits(self, spot: Spot) -> bool:
        if spot.there == (self.do == "put"):
            return False
        if self.only is not None and spot.value not in self.only:
            return False
        holder = spot.holder
        return all(name in holder for name in self.beside) and not any(name in holder for name in self.without)


def _put(spot: Spot, value: Json) -> None:
    spot.holder[spot.key] = copy.deepcopy(value)


def _set(spot: Spot, value: Json) -> None:
    spot.holder[spot.key] = with_it(value, spot.value)


def _parts(spot: Spot, value: Json) -> None:
    if isinstance(spot.value, str) and spot.value.strip():
        _set(spot, value)


def _drop(spot: Spot, value: Json) -> None:
    del spot.holder[spot.key]


def _one_text(spot: Spot, value: Json) -> None:
    parts = spot.value
    if isinstance(parts, list) and len(parts) == 1 and parts[0].keys() == {"type", "text"}:
        spot.holder[spot.key] = parts[0]["text"]


DOINGS: Mapping[str, Callable[[Spot, Json], None]] = {
    "put": _put, "set": _set, "parts": _parts, "drop": _drop, "one text": _one_text
}  # fmt: skip


def with_it(template: Json, it: Json) -> Json:
    """A value in which `IT` is the old one."""
    if isinstance(template, dict):
        return {name: with_it(value, it) for name, value in template.items()}
    if isinstance(template, list):
        return [with_it(value, it) for value in template]
    return it if template == IT else template


@dataclass(frozen=True, slots=True)
class Dialect:
    """Another spelling. ``needs`` are places that a request must have for it. ``source`` says that it means the same;
    in ``recorded`` traffic the provider took it. There is one of the two at least. ``one_call``: only where nothing
    follows.
    """

    name: str
    says: str
    source: str
    steps: tuple[DialectStep, ...]
    needs: tuple[str, ...] = ()
    one_call: bool = False
    recorded: str = ""

    def spoken(self, document: Json, exchange: Exchange) -> dict[str, Json] | None:
        """The request in this dialect; ``None`` where it says nothing else."""
        if not isinstance(document, dict) or not all(has(document, place) for place in self.needs):
            return None
        changed: dict[str, Json] = copy.deepcopy(document)
        done = [step.on(changed, exchange) for step in self.steps]
        return changed if any(done) and changed != document else None


def has(document: Mapping[str, Json], place: str) -> bool:
    """Whether something stands at a place."""
    return any(spot.there for spot in spots(document, steps_of(place)))


def dialect_of(entry: Mapping[str, Any]) -> Dialect:
    """A dialect from its entry in ``table.yaml``."""
    return Dialect(
        entry["name"], entry["says"], entry.get("source", ""),
        tuple(step_of(step) for step in entry["steps"]), tuple(entry.get("needs", ())),
        entry.get("one_call", False), entry.get("recorded", ""),
    )  # fmt: skip


def step_of(entry: Mapping[str, Any]) -> DialectStep:
    """A step from its entry: the first key is what is done, and where."""
    (do,) = entry.keys() & {*DOINGS, "call"}
    only: Sequence[Json] | None = entry.get("only")
    return DialectStep(
        do, entry[do], entry.get("value"), tuple(only) if only is not None else None,
        tuple(entry.get("beside", ())), tuple(entry.get("without", ())),
    )  # fmt: skip
