"""Tells the doors of the library that is installed here, as JSON: what the harness asks a child for.

The request is a JSON object with ``distribution``, ``roots``, ``packages`` and ``first``, the door that is shown first
(see `conformance.doors.table`), and with ``providers``: where the library lists its providers, if it does.
"""

from __future__ import annotations

import enum
import importlib
import json
import pkgutil
import typing
from collections.abc import Iterable
from importlib import metadata
from typing import Any

from conformance.adapters.inventory.options import counted
from conformance.adapters.inventory.walk import LibraryMethod, MethodParameter, methods


def told(request: dict[str, Any]) -> dict[str, Any]:
    """The answer to a request. Raises what importing the library raises."""
    found = methods(request["roots"], request["packages"], request["first"])
    return {
        "version": metadata.version(request["distribution"]),
        "methods": [_method(one) for one in found],
        "providers": sorted(_providers(request["providers"])) if request["providers"] else None,
    }


def _method(method: LibraryMethod) -> dict[str, Any]:
    return {
        "name": method.name,
        "at": method.at,
        "parameters": [_parameter(one) for one in method.about_tools],
        "outputs": list(method.outputs),
        "deprecated": method.deprecated,
    }


def _parameter(one: MethodParameter) -> dict[str, Any]:
    return {"name": one.name, "type": one.form.text, "options": counted(one.name, one.form, one.absent)}


def _providers(spec: str) -> Iterable[str]:
    """The names of providers that stand at ``module:name``: members of an enum, values of a ``Literal``, items.

    A module alone stands for the modules in it.
    """
    home, _, name = spec.partition(":")
    module = importlib.import_module(home)
    if not name:
        return [found.name for found in pkgutil.iter_modules(module.__path__)]
    thing = getattr(module, name)
    if isinstance(thing, type) and issubclass(thing, enum.Enum):
        return [str(member.value) for member in thing]
    return [str(getattr(item, "value", item)) for item in typing.get_args(getattr(thing, "__value__", thing)) or thing]


def main(request: str) -> None:
    """Print the answer as the last line: what a library prints while it is imported stands before."""
    print(json.dumps(told(json.loads(request))))  # noqa: T201
