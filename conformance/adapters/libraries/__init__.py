"""Clients around public libraries. Each is a small file that calls its library and repairs nothing it does.

`LIBRARIES` is the table of them (`table.py`), by the name that addresses use: ``conformance run litellm`` where the
library is installed, ``env:litellm@1.82.0`` for one in an environment of its own (`conformance.environments`).
Nothing is imported until it is asked for, so no library needs to be there.
"""

from __future__ import annotations

import importlib
import os
from dataclasses import replace
from typing import Any

from conformance.adapters.contract import AdapterError
from conformance.adapters.inventory import VARIABLE
from conformance.adapters.libraries.table import LIBRARIES as LIBRARIES
from conformance.adapters.libraries.table import Library as Library
from conformance.adapters.libraries.way import Way
from conformance.adapters.libraries.ways import split_way, way_at, ways_of
from conformance.obstacles import HEADS


def load_shim(address: str) -> Any:
    """The class of a shim, by its name or as ``NAME:WAY``.

    Raises `AdapterError` when its library is not there, or too old or new, or has no such way.
    """
    (name, _), way = split_way(address), known_way(address)
    library = LIBRARIES[name]
    if library.kind != "python":
        raise AdapterError(f"{name} runs in an environment of its own: `conformance env {name}` makes it")
    version = installed(library.distribution, name)
    module, _, attribute = (way.shim if way is not None and way.shim else library.shim).partition(":")
    if VARIABLE in os.environ:
        from conformance.adapters.inventory.watching import watch_if_asked

        watch_if_asked(name)
    try:
        made = getattr(importlib.import_module(f"{__name__}.{module}"), attribute)
        return made if way is None else made.by(way)
    except Exception as problem:
        raise _unusable(name, library.distribution, version, problem) from None


def known_way(address: str) -> Way | None:
    """The way at an address; ``None`` for the usual one. Raises `AdapterError` for one that is not in the table."""
    try:
        return way_at(address)
    except KeyError as unknown:
        names = ", ".join(way.name for way in ways_of(address))
        raise AdapterError(f"{address}: there is no way {unknown}; ways are {names}") from None


def _unusable(name: str, distribution: str, version: str, problem: Exception) -> AdapterError:
    """Why a shim could not be loaded, and whose doing that is."""
    from conformance.adapters.obstructed import obstacle_of

    met = obstacle_of(problem)
    if met is None:
        text = " ".join(str(problem).split())
        return AdapterError(f"{name}: {distribution} {version} cannot be used: {type(problem).__name__}: {text}")
    words = f"{name}: {distribution} {version}: {HEADS[met.kind]}: {met.error}"
    return AdapterError(words, replace(met, library=name, version=version))


def installed(distribution: str, name: str | None = None) -> str:
    """The version of a library. Raises `AdapterError` when it is not installed, saying how to get it."""
    from importlib import metadata  # it needs much, and an adapter that is no library's shim does not need it

    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        advice = f"pip install {distribution}, or conformance env {name or distribution}"
        raise AdapterError(f"{distribution} is not installed: {advice}") from None
