"""Features of releases: what a capability, or a provider, needs of the library that is installed.

A need is written ``module``, ``module:name.name`` or ``module:name(parameter)``. It is looked up in the child, where
the library is: a module and a name by importing, a parameter in the signature of a callable, or among the fields of a
type. A parameter that only ``**options`` would swallow is not there.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

NEED = re.compile(r"(?P<module>[\w.]+)(:(?P<path>[\w.]+)(\((?P<parameter>\w+)\))?)?")

Needs = Mapping[str, tuple[str, ...]]
"""By capability or provider, what it needs. Where there are several, all are needed."""


@cache
def has(need: str) -> bool:
    """Whether the installed release has what is needed."""
    parts = NEED.fullmatch(need)
    assert parts is not None, f"{need!r} is no need: write module:name(parameter)"
    try:
        found: Any = importlib.import_module(parts["module"])
        for name in parts["path"].split(".") if parts["path"] else ():
            found = getattr(found, name)
    except (ImportError, AttributeError):
        return False
    return parts["parameter"] is None or parts["parameter"] in _parameters(found)


def lacking(needs: Needs) -> dict[str, str]:
    """What the installed release lacks, each with the first need that is not there."""
    return {what: missing for what, wanted in needs.items() if (missing := _first_missing(wanted)) is not None}


def _first_missing(wanted: Iterable[str]) -> str | None:
    return next((need for need in wanted if not has(need)), None)


def _parameters(thing: Any) -> set[str]:
    """The names that a callable takes, and the fields of a type."""
    names: set[str] = set()
    if isinstance(thing, type):
        names.update(*(vars(base).get("__annotations__", ()) for base in thing.__mro__))
    try:
        parameters = inspect.signature(thing).parameters.values()
    except (TypeError, ValueError):
        return names
    swallowing = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    return names | {one.name for one in parameters if one.kind not in swallowing}
