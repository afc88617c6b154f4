"""The inventory of a library: its doors, each played or not, and why not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from conformance.adapters.libraries import LIBRARIES
from conformance.adapters.libraries.ways import ways_of
from conformance.doors.derived import DerivedDoors
from conformance.doors.played import Sightings
from conformance.doors.table import KnownLibrary, LeftOut
from conformance.wires import PROVIDERS

DoorKind = Literal["method", "parameter", "option", "output", "provider"]
KINDS: tuple[DoorKind, ...] = ("method", "parameter", "option", "output", "provider")


@dataclass(frozen=True, slots=True)
class LibraryDoor:
    """One door. ``of`` is the method, or for an option the parameter, that it belongs to first."""

    kind: DoorKind
    name: str
    of: str
    played: bool
    left_out: LeftOut | None = None

    @property
    def counts(self) -> bool:
        """Whether it is among those that are to be played."""
        return self.played or self.left_out is None


@dataclass(frozen=True, slots=True)
class DoorFigure:
    """How many doors are played, of how many."""

    played: int
    every: int

    def __str__(self) -> str:
        return f"{self.played} / {self.every}"

    @property
    def share(self) -> float:
        """From 0 to 1; 1 where there is nothing to play."""
        return self.played / self.every if self.every else 1.0


@dataclass(frozen=True)
class DoorInventory:
    """All doors of a release, and what the shims gave it that does not fit its types."""

    library: str
    version: str
    shims: tuple[str, ...]
    first_door: str
    first_page: str
    doors: tuple[LibraryDoor, ...]
    wrong: tuple[str, ...]
    ways: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The ways of the shims that have several, the usual one first."""

    def figure(self, kind: DoorKind) -> DoorFigure:
        """The figure of one kind of doors."""
        counted = [door for door in self.doors if door.kind == kind and door.counts]
        return DoorFigure(sum(door.played for door in counted), len(counted))

    @property
    def first_is_played(self) -> bool:
        """Whether the door that the documentation shows first is played."""
        return any(door.played for door in self.doors if door.name == self.first_door)

    def of(self, kind: DoorKind) -> list[LibraryDoor]:
        """The doors of one kind."""
        return [door for door in self.doors if door.kind == kind]

    def document(self) -> dict[str, Any]:
        """The inventory as JSON data."""
        return {
            "library": self.library,
            "version": self.version,
            "shims": list(self.shims),
            **({"ways": {shim: list(ways) for shim, ways in self.ways.items()}} if self.ways else {}),
            "first": {"door": self.first_door, "page": self.first_page, "played": self.first_is_played},
            "figures": {kind: {"played": one.played, "all": one.every} for kind, one in self._figures()},
            "doors": [_as_data(door) for door in self.doors],
            "wrong": list(self.wrong),
        }

    @classmethod
    def of_document(cls, document: dict[str, Any]) -> DoorInventory:
        """The inventory that `document` wrote down."""
        return cls(
            library=document["library"],
            version=document["version"],
            shims=tuple(document["shims"]),
            first_door=document["first"]["door"],
            first_page=document["first"]["page"],
            doors=tuple(map(_from_data, document["doors"])),
            wrong=tuple(document["wrong"]),
            ways={shim: tuple(ways) for shim, ways in document.get("ways", {}).items()},
        )

    def _figures(self) -> Iterator[tuple[DoorKind, DoorFigure]]:
        return ((kind, self.figure(kind)) for kind in KINDS)


def _as_data(door: LibraryDoor) -> dict[str, Any]:
    data: dict[str, Any] = {"kind": door.kind, "name": door.name, "of": door.of, "played": door.played}
    if door.left_out is not None:
        data["left_out"] = {"why": door.left_out.why, "link": door.left_out.link, "note": door.left_out.note}
    return data


def _from_data(data: dict[str, Any]) -> LibraryDoor:
    without = data.get("left_out")
    left_out = None if without is None else LeftOut((data["name"],), **without)
    return LibraryDoor(data["kind"], data["name"], data["of"], data["played"], left_out)


def inventory(library: KnownLibrary, derived: DerivedDoors, seen: Sightings) -> DoorInventory:
    """Put what there is beside what was played."""
    shims = shims_of(library.distribution)
    names = {method["at"]: str(method["name"]) for method in derived.methods}
    doors = {(door.kind, door.name): door for door in _weakest_first(_doors(library, derived, seen))}
    return DoorInventory(
        library=library.distribution,
        version=derived.version,
        shims=shims,
        first_door=library.first_door,
        first_page=library.first_page,
        doors=(*doors.values(), *_providers(library, derived, seen)),
        wrong=tuple(sorted({f"{names[at]}: {what}" for at, said in seen.wrong.items() for what in said})),
        ways={shim: tuple(way.name for way in ways_of(shim)) for shim in shims if ways_of(shim)},
    )


def shims_of(distribution: str) -> tuple[str, ...]:
    """The shims around a distribution."""
    return tuple(name for name, one in LIBRARIES.items() if one.distribution == distribution)


def _weakest_first(doors: Iterable[LibraryDoor]) -> list[LibraryDoor]:
    """In an order in which the last of several that are the same door is what counts: played, or not left out."""
    return sorted(doors, key=lambda door: (door.played, door.counts))


def _doors(library: KnownLibrary, derived: DerivedDoors, seen: Sightings) -> Iterator[LibraryDoor]:
    for method in derived.methods:
        name, at = str(method["name"]), str(method["at"])
        without = library.reason(name) or _deprecated(method)
        yield LibraryDoor("method", name, "", at in seen.methods, without)
        for output in method["outputs"]:
            yield LibraryDoor("output", f"{name} → {output}", name, output in seen.outputs.get(at, ()), without)
        for parameter in method["parameters"]:
            yield from _parameter(library, method, parameter, seen, without)


def _parameter(
    library: KnownLibrary,
    method: Mapping[str, Any],
    parameter: Mapping[str, Any],
    seen: Sightings,
    without: LeftOut | None,
) -> Iterator[LibraryDoor]:
    at, name = method["at"], str(parameter["name"])
    without = without or library.reason(f"{method['name']}({name})") or _deprecated(parameter)
    place = parameter.get("place")
    played = (name if place is None else f"#{place}") in seen.parameters.get(at, ())
    yield LibraryDoor("parameter", f"{name}: {parameter['type']}", method["name"], played, without)
    for option in parameter["options"]:
        unplayed = without or library.reason(option)
        yield LibraryDoor("option", option, f"{method['name']}({name})", option in seen.options.get(at, ()), unplayed)


def _deprecated(thing: Mapping[str, Any]) -> LeftOut | None:
    """What the library itself marks as deprecated (PEP 702, ``@deprecated``), with its own words."""
    words = thing.get("deprecated")
    return LeftOut((thing["name"],), "deprecated", note=words) if words else None


def _providers(library: KnownLibrary, derived: DerivedDoors, seen: Sightings) -> Iterator[LibraryDoor]:
    """The providers that this suite speaks, of those that the library does: what it lists, else what was played."""
    if derived.providers is None:
        spoken = seen.providers
    else:
        spoken = {library.names.get(name, name) for name in derived.providers} | seen.providers
    for provider in PROVIDERS:
        if provider in spoken:
            without = library.reason(f"provider {provider}")
            yield LibraryDoor("provider", provider, "", provider in seen.providers, without)
