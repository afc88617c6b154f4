"""The files that an adapter is made of, and whether they have changed."""

from __future__ import annotations

import importlib.util
import os
import shlex
import shutil
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from conformance.adapters.addresses import installed_adapters, is_file_address, unknown_adapter
from conformance.adapters.contract import AdapterError
from conformance.adapters.libraries import LIBRARIES
from conformance.adapters.libraries.ways import split_way

MOST = 5_000
"""How many files are looked at: those of a folder that holds more are not all looked at."""
NOT_SOURCES = frozenset({"__pycache__", "node_modules", "site-packages", "venv"})

Stamp = dict[Path, tuple[int, int]]
"""When each file was written, and its size."""


def source_places(address: str) -> list[Path]:
    """Where an adapter's files are: the folder of its file, its package, or what its command names.

    Raises `AdapterError` where that is not known.
    """
    found = [place.resolve() for place in _places(address)]
    if not found:
        raise AdapterError(f"{address}: there is no file to watch: name one with --path")
    return found


def _places(address: str) -> Iterator[Path]:
    if address.startswith("stdio:"):
        words = shlex.split(address.removeprefix("stdio:"))
        yield from (Path(word).parent for word in words if Path(word).is_file())
        program = shutil.which(words[0]) if words else None
        if program is not None and os.sep in words[0]:
            yield Path(program)
    elif is_file_address(address):
        file = Path(f"{address.partition('.py')[0]}.py")
        yield from [file.parent] if file.is_file() else []
    elif address.startswith("python:"):
        yield from _module(address.removeprefix("python:").partition(":")[0])
    elif address in (known := installed_adapters()):
        yield from _module(known[address].module)
    elif split_way(address)[0].removeprefix("env:").partition("@")[0] not in LIBRARIES:
        raise unknown_adapter(address)


def _module(name: str) -> Iterator[Path]:
    """The package or the file of a module, which is not imported."""
    sys.path.insert(0, here := os.getcwd())  # noqa: PTH109 - a string is what sys.path holds
    try:
        spec = importlib.util.find_spec(name.partition(".")[0])
    except (ImportError, ValueError):
        spec = None
    finally:
        sys.path.remove(here)
    if spec is not None and spec.submodule_search_locations:
        yield from map(Path, spec.submodule_search_locations)
    elif spec is not None and spec.origin and Path(spec.origin).is_file():
        yield Path(spec.origin)


def stamped(places: Iterable[Path]) -> Stamp:
    """When the files at these places were written. What goes away while it is looked at is not there."""
    found: Stamp = {}
    for place in places:
        for path in [place] if place.is_file() else _files(place):
            try:
                state = path.stat()
            except OSError:
                continue
            found[path] = (state.st_mtime_ns, state.st_size)
            if len(found) == MOST:
                return found
    return found


def _files(folder: Path) -> Iterator[Path]:
    """The files under a folder: no hidden ones, and nothing that was installed or compiled there."""
    for base, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in NOT_SOURCES)
        yield from (Path(base, name) for name in sorted(names) if not name.startswith("."))
