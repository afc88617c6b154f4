"""The ways into a library, by addresses.

The usual way plays everything, and is called by the shim's name alone. Each other way plays a selection
(`conformance.engine.covering`) and has an address of its own: ``openai:parse``, ``env:openai@3.57.0:parse``.
"""

from __future__ import annotations

import re

from conformance.adapters.libraries.table import LIBRARIES
from conformance.adapters.libraries.way import Way

_ADDRESS = re.compile(r"((?:env:)?([a-z0-9-]+)(?:@[^:@]+)?):([a-z-]+)")


def split_way(address: str) -> tuple[str, str]:
    """An address without its way, and the way: ``""`` for the usual one, and where an address has none."""
    found = _ADDRESS.fullmatch(address)
    if found is None or not (ways := _ways(found[2])):
        return address, ""
    return found[1], "" if found[3] == ways[0].name else found[3]


def with_way(address: str, way: str) -> str:
    """The address of a way; the address itself for the usual one (``""``)."""
    return f"{address}:{way}" if way else address


def ways_of(address: str) -> tuple[Way, ...]:
    """The ways of the library at an address, the usual one first; none where there is but one."""
    name = split_way(address)[0].removeprefix("env:").partition("@")[0]
    return _ways(name)


def _ways(name: str) -> tuple[Way, ...]:
    return LIBRARIES[name].ways if name in LIBRARIES else ()


def way_at(address: str) -> Way | None:
    """The way that an address leads to, unless it is the usual one. Raises `KeyError` where there is no such way."""
    base, name = split_way(address)
    if not name:
        return None
    known = {way.name: way for way in ways_of(base)}
    return known[name]
