"""Finds the methods about tools, from the roots: the classes and functions that users meet.

From a class the walk goes on through its public attributes that hold other objects of the library
(``client.chat.completions``), and through what a method about tools gives back, if that is no data
(``MessageStream.get_final_message``).
"""

from __future__ import annotations

import functools
import importlib
import inspect
import typing
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.adapters.inventory.forms import ContainerForm, ObjectForm, OpenForm, TypeForm, form_of, is_record
from conformance.adapters.inventory.options import Absent, branches, short
from conformance.adapters.inventory.reading import hints
from conformance.adapters.inventory.relevance import is_parameter_about_tools, leads_to_tools

ENTERED = ("__enter__", "__aenter__", "__iter__", "__aiter__")
"""Methods that users call without naming them."""


@dataclass(frozen=True)
class MethodParameter:
    """A parameter of a method. ``absent`` are the classes that say that it is not given."""

    name: str
    form: TypeForm
    absent: Absent
    about_tools: bool


@dataclass(frozen=True)
class LibraryMethod:
    """A public method, function or class that can be called. ``name`` is the way to it from its root.

    ``holder`` and ``attribute`` are where it is defined. ``outputs`` are what it may give back, by how that is written.
    """

    name: str
    holder: Any
    attribute: str
    function: Callable[..., Any]
    parameters: Mapping[str, MethodParameter]
    outputs: Mapping[str, TypeForm]
    deprecated: str | None

    @property
    def at(self) -> str:
        """Where it is defined: what two ways to the same method have in common."""
        return f"{getattr(self.holder, '__module__', self.holder.__name__)}:{self.qualified}"

    @property
    def qualified(self) -> str:
        """Its name in its module."""
        return f"{self.holder.__qualname__}.{self.attribute}" if isinstance(self.holder, type) else self.attribute

    @property
    def about_tools(self) -> list[MethodParameter]:
        """Its parameters about tools."""
        return [one for one in self.parameters.values() if one.about_tools]


@dataclass
class LibraryWalk:
    """One walk through a library. ``packages`` are those whose classes are its own; ``first`` is the method that its
    documentation shows first, which is kept whatever its signature says."""

    packages: frozenset[str]
    first: str = ""
    found: dict[str, LibraryMethod] = field(default_factory=dict)
    _seen: set[tuple[type, bool]] = field(default_factory=set)
    _coming: deque[tuple[str, type, bool]] = field(default_factory=deque)
    """Objects to look into, nearest first: a method is named by the shortest way to it."""

    def root(self, spec: str) -> None:
        """Walk from ``module:name``: a class, or a function."""
        home, _, path = spec.partition(":")
        holder: Any = importlib.import_module(home)
        *outer, name = path.split(".")
        for part in outer:
            holder = getattr(holder, part)
        thing = getattr(holder, name)
        if isinstance(thing, type):
            self._made(path, holder, name, thing)
            self._coming.append((path, thing, False))
        elif callable(thing):
            self._keep(_method(path, holder, name, thing), given=False)

    def go(self) -> None:
        """Look into all objects that are reached."""
        while self._coming:
            path, kind, given = self._coming.popleft()
            if (kind, given) not in self._seen:
                self._seen.add((kind, given))
                self._object(path, kind, given=given)

    def _made(self, path: str, holder: Any, name: str, kind: type) -> None:
        """A class is called, too."""
        own = next((base for base in kind.__mro__ if "__init__" in vars(base)), object)
        if own is not object and not _is_pydantic(kind):
            self._keep(_method(f"{path}()", own, "__init__", vars(own)["__init__"]), given=False)

    def _object(self, path: str, kind: type, *, given: bool) -> None:
        for name in dir(kind):
            if name.startswith("_") and name not in ENTERED:
                continue
            holder = next((base for base in kind.__mro__ if name in vars(base)), None)
            if holder is None or not self._is_own(holder):
                continue
            thing = vars(holder)[name]
            if isinstance(thing, property | functools.cached_property):
                self._held(f"{path}.{name}", _told(getattr(thing, "fget", None) or getattr(thing, "func", None)))
            elif callable(thing) or isinstance(thing, staticmethod | classmethod):
                self._keep(_method(f"{path}.{name}", holder, name, thing), given=given)
        if not is_record(kind):
            for name, annotation in hints(kind).items():
                if not name.startswith("_"):
                    self._held(f"{path}.{name}", form_of(annotation))

    def _held(self, path: str, form: TypeForm) -> None:
        """An attribute: another object of the library's, with methods of its own."""
        for one in branches(form):
            if isinstance(one, ObjectForm) and self._is_own(one.kind):
                self._coming.append((path, one.kind, False))

    def _keep(self, method: LibraryMethod | None, *, given: bool) -> None:
        if method is None or method.at in self.found:
            return
        leads = any(map(leads_to_tools, method.outputs.values()))
        entered = method.attribute in ENTERED
        if method.about_tools or method.name == self.first or (given and leads and not entered):
            self.found[method.at] = method
        elif not (given and entered):
            return
        if method.deprecated is not None:  # what it gives is no more for users than it is itself
            return
        for form in method.outputs.values():
            self._given(form)

    def _given(self, form: TypeForm) -> None:
        for one in branches(form):
            if isinstance(one, ObjectForm | ContainerForm) and self._is_own(one.kind):
                self._coming.append((one.kind.__name__, one.kind, True))
            if isinstance(one, ContainerForm):
                for item in one.items:
                    self._given(item)

    def _is_own(self, kind: Any) -> bool:
        return str(getattr(kind, "__module__", "")).partition(".")[0] in self.packages


def _is_pydantic(kind: type) -> bool:
    return isinstance(getattr(kind, "model_fields", None), Mapping)


def methods(roots: Iterable[str], packages: Iterable[str] = (), first: str = "") -> list[LibraryMethod]:
    """The methods about tools that the roots lead to, sorted by their names. ``first`` is among them."""
    roots = list(roots)
    own = frozenset(packages) | {root.partition(":")[0].partition(".")[0] for root in roots}
    walk = LibraryWalk(own, first)
    for root in roots:
        walk.root(root)
    walk.go()
    return sorted(walk.found.values(), key=lambda one: one.name)


def method_at(at: str) -> LibraryMethod:
    """The method that `LibraryMethod.at` names. Raises `ImportError` or `AttributeError` where there is none."""
    home, _, path = at.partition(":")
    holder: Any = importlib.import_module(home)
    *outer, name = path.split(".")
    for part in outer:
        holder = getattr(holder, part)
    method = _method(path, holder, name, inspect.getattr_static(holder, name))
    if method is None:
        raise AttributeError(at)
    return method


def _method(name: str, holder: Any, attribute: str, thing: Any) -> LibraryMethod | None:
    function = thing.__func__ if isinstance(thing, staticmethod | classmethod) else thing
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return None
    told = hints(function)
    named = (one for one in signature.parameters.values() if one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL))
    parameters = {
        one.name: _parameter(one, form_of(told.get(one.name, Any)))
        for one in named
        if one.name not in ("self", "cls") and not one.name.startswith("_")
    }
    deprecated = getattr(function, "__deprecated__", None)
    outputs = dict(_outputs(function, told))
    return LibraryMethod(name, holder, attribute, function, parameters, outputs, deprecated)


def _parameter(one: inspect.Parameter, form: TypeForm) -> MethodParameter:
    plain = (str, int, float, bool, list, dict, tuple)
    stands = one.default is not one.empty and one.default is not None and not isinstance(one.default, plain)
    absent = frozenset({type(one.default)}) if stands else frozenset()
    return MethodParameter(one.name, form, absent, is_parameter_about_tools(one.name, form))


def _outputs(function: Any, told: Mapping[str, Any]) -> Iterator[tuple[str, TypeForm]]:
    """What a method gives back, of all its overloads."""
    inner = inspect.unwrap(function)
    for overload in typing.get_overloads(inner):
        for branch in branches(form_of(hints(overload).get("return", Any))):
            yield short(branch), branch
    for branch in branches(form_of(told.get("return", Any))):
        if not isinstance(branch, OpenForm):
            yield short(branch), branch


def _told(function: Any) -> TypeForm:
    return form_of(hints(function).get("return", Any)) if function is not None else OpenForm("Any")
