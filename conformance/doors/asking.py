"""The inventory of a library, made: its file read, its release asked, its shims played."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.adapters.contract import AdapterError
from conformance.doors.derived import derive, derived_address
from conformance.doors.inventory import DoorInventory, inventory, shims_of
from conformance.doors.played import play
from conformance.doors.table import known
from conformance.environments.finding import library_of
from conformance.runner.settings import by_ways


def inventory_of(address: str, scenarios: Sequence[str] = ()) -> DoorInventory:
    """The inventory of the library at an address: a name, or ``env:NAME@VERSION``. Raises `AdapterError`.

    All shims of its distribution play ``scenarios``, by all their ways. Without any, the usual way plays all that were
    written, and others their selection.
    """
    name = address.removeprefix("env:").partition("@")[0]
    distribution = library_of(name).distribution
    library = known(distribution)
    if library is None:
        raise AdapterError(f"{name}: not inventoried: docs/libraries.md says how its roots are written down")
    at = derived_address(address)
    derived = derive(at, library)
    methods = [one for one in derived.methods if library.reason(one["name"]) is None and not one["deprecated"]]
    watched = [str(one["at"]) for one in methods]
    return inventory(library, derived, play(dict.fromkeys(played_at(at, name, distribution), watched), scenarios))


def played_at(at: str, name: str, distribution: str) -> list[str]:
    """The addresses at which the shims of a distribution are played, by all their ways. ``at`` is that of ``name``."""
    places = [at.replace(name, shim, 1) for shim in shims_of(distribution)]
    return [address for place in places for address in by_ways((place,), ("all",))]
