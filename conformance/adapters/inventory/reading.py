"""Annotations of installed code, resolved one by one: a name that cannot be resolved loses no other.

Libraries import much for type checkers only (``if TYPE_CHECKING:``). Such a name is imported here when an annotation
needs it, from where the source of the module says.
"""

from __future__ import annotations

import ast
import functools
import importlib.util
import inspect
import sys
import typing
from collections.abc import Iterator, Mapping
from types import ModuleType, SimpleNamespace
from typing import Any

UNKNOWN: Any = typing.Any
"""Stands for what could not be resolved: it allows everything, and leads nowhere."""


def hints(thing: Any) -> dict[str, Any]:
    """The annotations of a function or a class, those of its bases too, resolved."""
    if not isinstance(thing, type):
        function = inspect.unwrap(thing)
        return _resolved(getattr(function, "__annotations__", {}), getattr(function, "__module__", ""))
    found: dict[str, Any] = {}
    for base in reversed(thing.__mro__):
        found |= _resolved(vars(base).get("__annotations__", {}), base.__module__)
    return found


def _resolved(raw: Mapping[str, Any], home: str) -> dict[str, Any]:
    return {name: _one(annotation, _names(home)) for name, annotation in raw.items()}


@functools.cache
def _names(home: str) -> Mapping[str, Any]:
    module = sys.modules.get(home)
    return _Names(module) if module is not None else {}


def _one(annotation: Any, names: Mapping[str, Any]) -> Any:
    holder = SimpleNamespace(__annotations__={"it": annotation})
    try:
        return typing.get_type_hints(holder, {}, names, include_extras=True)["it"]
    except Exception:
        return UNKNOWN


class _Names(dict[str, Any]):
    """What names mean in a module, for its type checker too."""

    def __init__(self, module: ModuleType) -> None:
        super().__init__(vars(module))
        self._module = module

    def __missing__(self, name: str) -> Any:
        home, attribute = _for_checkers(self._module)[name]
        found = importlib.import_module(home)
        self[name] = getattr(found, attribute) if attribute else found
        return self[name]


@functools.cache
def _for_checkers(module: ModuleType) -> dict[str, tuple[str, str]]:
    """The imports under ``if TYPE_CHECKING:``, each with its module and the name in there."""
    try:
        tree = ast.parse(inspect.getsource(module))
    except (OSError, TypeError, SyntaxError):
        return {}
    guarded = (node for node in tree.body if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test))
    return dict(found for branch in guarded for node in branch.body for found in _imported(node, module))


def _imported(node: ast.stmt, module: ModuleType) -> Iterator[tuple[str, tuple[str, str]]]:
    if isinstance(node, ast.ImportFrom):
        package = module.__name__ if hasattr(module, "__path__") else module.__name__.rpartition(".")[0]
        home = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
        yield from ((alias.asname or alias.name, (home, alias.name)) for alias in node.names)
    elif isinstance(node, ast.Import):
        yield from ((alias.asname, (alias.name, "")) for alias in node.names if alias.asname)
