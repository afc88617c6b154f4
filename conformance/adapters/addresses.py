"""Addresses: how an adapter is named on the command line.

``reference`` and other names of the entry-point group ``conformance.adapters``; the names of the libraries that this
package has shims for (`conformance.adapters.libraries`); ``python:pkg.module:attribute``; a file, as ``./mine.py`` or
``mine.py:attribute``; ``stdio:COMMAND``. What is found may be an adapter, or a class: of a class, a new instance is
made for every case. ``env:NAME@VERSION`` is a library in an environment of its own: whoever starts the worker goes
there (`conformance.environments`) and asks for it by name. ``NAME:WAY`` is another way into a library
(`conformance.adapters.libraries.ways`).
"""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from conformance.adapters.contract import AdapterError, AdapterInfo, Kind, info_of, kind_of
from conformance.adapters.libraries import LIBRARIES, load_shim
from conformance.adapters.libraries.ways import split_way
from conformance.hints import meant

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "conformance.adapters"


@dataclass(frozen=True)
class LocatedAdapter:
    """An adapter that an address led to. ``make`` gives the object to use for one case."""

    address: str
    info: AdapterInfo
    kind: Kind
    make: Callable[[], object]


def find_adapter(address: str) -> LocatedAdapter:
    """The adapter at ``address``. Raises `AdapterError` with one line that says what is wrong and what to do."""
    target = _target(address)
    make: Callable[[], object] = target if isinstance(target, type) else lambda: target
    try:
        adapter = make()
    except AdapterError as problem:
        raise AdapterError(f"{address}: {problem}", problem.obstacle) from None
    except Exception as problem:
        raise AdapterError(f"{address}: making the adapter raised {type(problem).__name__}: {problem}") from None
    try:
        return LocatedAdapter(address, info_of(adapter), kind_of(adapter), make)
    except AdapterError as problem:
        raise AdapterError(f"{address}: {problem}", problem.obstacle) from None


def installed_adapters() -> dict[str, EntryPoint]:
    """The adapters that installed packages offer, by name."""
    from importlib.metadata import entry_points  # it needs much, and most addresses do not need it

    return {entry.name: entry for entry in entry_points(group=GROUP)}


def _target(address: str) -> object:
    if address.startswith("python:"):
        return _from_python(address)
    if address.startswith("stdio:"):
        from conformance.adapters.stdio.faces import open_adapter

        return open_adapter(address)
    if is_file_address(address):
        return _from_file(address)
    return _from_name(address)


def is_file_address(address: str) -> bool:
    """Whether an address names a file in Python: ``./mine.py``, ``mine.py:Adapter``."""
    return re.fullmatch(r"[^:]+\.py(:.*)?", address) is not None


def _from_python(address: str) -> object:
    module_name, _, attribute = address.removeprefix("python:").partition(":")
    if not module_name or not attribute:
        raise AdapterError(f"{address}: write python:package.module:attribute")
    _look_in(here := os.getcwd())  # noqa: PTH109 - a string is what sys.path holds
    module = _imported(address, module_name, f" (looked in {here} too)")
    return _attribute(address, module, attribute)


def _from_file(address: str) -> object:
    """What a file names. Without a name it is the one adapter that the file defines."""
    name, _, attribute = address.partition(".py:")
    path = Path(f"{name.removesuffix('.py')}.py")
    if not path.is_file():
        beside = sorted(str(other) for other in path.parent.glob("*.py")) if path.parent.is_dir() else []
        raise AdapterError(f"{address}: there is no file {path}{meant(str(path), beside)}")
    if not path.stem.isidentifier():
        raise AdapterError(f"{address}: {path.name} cannot be imported: its name is none of a module")
    _look_in(str(path.resolve().parent))
    module = _imported(address, path.stem)
    if Path(getattr(module, "__file__", None) or "").resolve() != path.resolve():
        raise AdapterError(f"{address}: another module is called {path.stem!r}: give the file another name")
    return _attribute(address, module, attribute) if attribute else _only_adapter(address, module)


def _look_in(folder: str) -> None:
    if folder not in sys.path:
        sys.path.insert(0, folder)


def _imported(address: str, name: str, looked: str = "") -> ModuleType:
    """The module. Raises `AdapterError`."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as problem:
        if problem.name and name.startswith(problem.name):
            hint = meant(problem.name, _beside(problem.name))
            raise AdapterError(f"{address}: there is no module {problem.name!r}{looked}{hint}") from None
        raise AdapterError(f"{address}: importing {name} needs {problem.name!r}: install it") from None
    except Exception as problem:
        raise AdapterError(f"{address}: importing {name} raised {type(problem).__name__}: {problem}") from None


def _attribute(address: str, module: ModuleType, attribute: str) -> object:
    target: object = module
    for name in attribute.split("."):
        if not hasattr(target, name):
            raise AdapterError(f"{address}: {module.__name__} has no {name!r}{meant(name, dir(target))}")
        target = getattr(target, name)
    return target


def _only_adapter(address: str, module: ModuleType) -> object:
    """The adapter that a module defines, a class or an object. Raises `AdapterError` unless it is one."""
    found = {name: one for name, one in vars(module).items() if not name.startswith("_") and _is_adapter(one, module)}
    if len(found) == 1:
        return next(iter(found.values()))
    if not found:
        raise AdapterError(f"{address}: defines no adapter: a class with an info and the operations of its kind")
    raise AdapterError(f"{address}: defines {', '.join(found)}: name one, as {address}:{next(iter(found))}")


def _is_adapter(value: object, module: ModuleType) -> bool:
    own = value.__module__ == module.__name__ if isinstance(value, type) else hasattr(value, "info")
    try:
        return own and bool(kind_of(value))
    except AdapterError:
        return False


def unknown_adapter(name: str) -> AdapterError:
    """What to raise for a name that nothing has."""
    names = sorted({*installed_adapters(), *LIBRARIES})
    hint = meant(name, names) or f"; there are {', '.join(names)}"
    others = "./file.py, python:package.module:attribute, stdio:COMMAND"
    return AdapterError(f"unknown adapter {name!r}{hint} (or give an address: {others})")


def _beside(name: str) -> list[str]:
    """The modules that stand where this one was looked for."""
    import pkgutil  # only a name that is wrong needs it

    package = name.rpartition(".")[0]
    folders = getattr(sys.modules[package], "__path__", []) if package else None
    return [module.name for module in pkgutil.iter_modules(folders, f"{package}." if package else "")]


def _from_name(address: str) -> object:
    if address.startswith("env:"):
        raise AdapterError(f"{address} is in another environment: only a worker that is started there can load it")
    offered = installed_adapters()
    if address not in offered and split_way(address)[0] in LIBRARIES:
        return load_shim(address)
    if address not in offered:
        raise unknown_adapter(address)
    try:
        target: object = offered[address].load()
    except Exception as problem:
        raise AdapterError(f"{address}: loading it raised {type(problem).__name__}: {problem}") from None
    return target

