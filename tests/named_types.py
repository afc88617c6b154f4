"""Whether there is a type that is named as the source of something."""

from __future__ import annotations

import importlib
from collections.abc import Mapping


def is_type(name: str) -> bool:
    """Whether an installed SDK has the type, or its member, that ``a.dotted.name`` ends in."""
    found, names = _module(name.split("."))
    for one in names:
        if hasattr(found, one):
            found = getattr(found, one)
        else:
            return names[-1] == one and one in members(found)
    return bool(names)


def _module(names: list[str]) -> tuple[object, list[str]]:
    """The module that a name begins with, and the names after it."""
    for end in range(len(names) - 1, 0, -1):
        try:
            return importlib.import_module(".".join(names[:end])), names[end:]
        except ModuleNotFoundError:
            continue
    return None, names


def members(kind: object) -> Mapping[str, object]:
    """The members of a type, inherited ones as well."""
    found: Mapping[str, object] = getattr(kind, "model_fields", None) or getattr(kind, "__annotations__", {})
    return found
