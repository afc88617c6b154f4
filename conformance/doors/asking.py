"""The inventory of a library, made: its file read, its release asked, its shims played."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.adapters.contract import AdapterError
from conformance.doors.derived import address_of, derive
from conformance.doors.inventory import Inventory, inventory, shims_of
from conformance.doors.played import play
from conformance.doors.table import known
from conformance.environments.finding import library_of


def inventory_of(address: str, scenarios: Sequence[str] = ()) -> Inventory:
    """The inventory of the library at an address: a name, or ``env:NAME@VERSION``. Raises `AdapterError`.

    All shims of its distribution play ``scenarios``; without any, all that were written.
    """
    name, _, version = address.removeprefix("env:").partition("@")
    distribution = library_of(name).distribution
    library = known(distribution)
    if library is None:
        raise AdapterError(f"{name}: nobody has written down which classes users of {distribution} meet (docs/libraries.md)")
    at = address_of(address)
    derived = derive(at, library)
    counted = [one["at"] for one in derived.methods]
    places = [at.replace(name, shim, 1) for shim in shims_of(distribution)]
    return inventory(library, derived, play(places, counted, scenarios))
