"""Arguments as expressions: data as it is, what came out of a door by its name, other objects by their constructor."""

from __future__ import annotations

import dataclasses
import enum
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from conformance.adapters.capture import nodes
from conformance.adapters.capture.nodes import Node

if TYPE_CHECKING:
    from conformance.adapters.capture.calls import DoorCall
    from conformance.adapters.endpoint import Endpoint

DEPTH = 8
"""How deep a result is searched for what goes back."""
MOST = 5000
"""How many objects of a result are looked at."""
MINTED = re.compile(r"(?=[\w.:-]{6,64}\Z)(?=.*\d|.*[a-z].*[A-Z]).*")
"""A text that may be an id of the library's own making. Words have no digit, and keep to one case."""

AccessPath = str
"""How a program gets from a result to what is inside: ``.choices[0].message``."""


class UnwritableError(Exception):
    """An argument cannot be written as an expression."""


class ResultReference(dict[str, Any]):
    """The expression for a result of a door, or for something in it. Its name is known when all calls are."""

    def __init__(self, call: DoorCall, path: AccessPath) -> None:
        super().__init__({nodes.MARK: "result"})
        self.call = call
        self.path = path


class ValueWriter:
    """Writes arguments as expressions. It knows what came out of doors before. ``hidden`` is left out."""

    def __init__(self, hidden: Sequence[object] = ()) -> None:
        self._hidden = hidden
        self.endpoint: Endpoint | None = None
        self.imports: dict[str, str] = {}
        """What expressions need: the name by the import."""
        self._known: dict[int, tuple[DoorCall, AccessPath, Any]] = {}
        self._texts: dict[str, tuple[DoorCall, AccessPath]] = {}
        self._given: set[str] = set()
        self._written: dict[int, Any] = {}
        """The objects that the program has by itself, by their identity."""
        self._said = ""

    def enter(self, call: DoorCall) -> None:
        """Take in what came out of a door. What is inside counts where the provider was asked."""
        for path, value in _inside(call.result) if call.asked else [("", call.result)]:
            if path and id(value) in self._written:
                continue
            if isinstance(value, str):
                if MINTED.fullmatch(value):
                    self._texts.setdefault(value, (call, path))
            elif value is not None and not isinstance(value, bool | int | float | bytes | enum.Enum | type):
                known = (call, path, value)
                if path:
                    self._known.setdefault(id(value), known)
                else:  # a door that changes what it is given and returns it
                    self._known[id(value)] = known
        if self.endpoint is not None:
            self._said += self.endpoint.answered

    def is_hidden(self, value: object) -> bool:
        """Whether a program does without ``value``."""
        return any(value is item for item in self._hidden)

    def forget_texts(self) -> None:
        """A conversation begins: no text in it comes from what the library said in another."""
        self._texts.clear()
        self._given.clear()
        self._written.clear()
        self._said = ""

    def expression(self, value: Any) -> Node:
        """``value`` as an expression. Raises `UnwritableError`."""
        known = self._known.get(id(value))
        if known is not None and known[2] is value:
            return ResultReference(known[0], known[1])
        self._written[id(value)] = value
        match value:
            case enum.Enum():
                return nodes.source(f"{self._name(type(value))}.{value.name}")
            case str():
                return self._text(value)
            case None | bool() | int() | float():
                return value
            case bytes():
                return nodes.octets(value)
            case dict():
                return nodes.mapping({key: self.expression(item) for key, item in self._shown(value.items())})
            case list():
                return [self.expression(item) for item in value]
            case tuple():
                return nodes.sequence([self.expression(item) for item in value])
            case type():
                return nodes.source(self._name(value))
        return self._constructed(value)

    def _text(self, text: str) -> Node:
        """A text. One that only the library can know is taken from its result; an address is that of the program."""
        if text in self._texts and text not in self._given and text not in self._said:
            return ResultReference(*self._texts[text])
        for base in self.endpoint.addresses if self.endpoint is not None else ():
            origin = "{0.scheme}://{0.netloc}".format(urlsplit(base))
            if text.startswith(origin):
                rest = text.removeprefix(origin)
                return nodes.source(f'BASE_URL + "{rest}"' if rest else "BASE_URL")
        self._given.add(text)
        return text

    def _shown(self, items: Iterable[tuple[Any, Any]]) -> Iterator[tuple[Any, Any]]:
        return ((key, item) for key, item in items if not self.is_hidden(item))

    def _constructed(self, value: Any) -> Node:
        fields = dict(self._shown(_fields(value)))
        return nodes.call(self._name(type(value)), [], {name: self.expression(item) for name, item in fields.items()})

    def _name(self, kind: type) -> str:
        """The name of a class in the program, imported from the shortest module that gives it."""
        if kind.__module__ == "builtins":
            return kind.__qualname__
        outer = kind.__qualname__.partition(".")[0]
        parts = kind.__module__.split(".")
        inside_of_a_function = "<locals>" in kind.__qualname__
        for count in range(1, len(parts) + 1):
            module = ".".join(parts[:count])
            if not inside_of_a_function and hasattr(sys.modules.get(module), outer):
                self.imports[f"from {module} import {outer}"] = outer
                return kind.__qualname__
        raise UnwritableError(f"{kind.__module__}.{kind.__qualname__} cannot be imported")


def _fields(value: Any) -> Iterator[tuple[str, Any]]:
    """The arguments that make an equal object. Raises `UnwritableError`."""
    kind: Any = type(value)
    if hasattr(kind, "model_fields"):
        for name, field in kind.model_fields.items():
            if name in value.model_fields_set:
                by_name = kind.model_config.get("populate_by_name") or kind.model_config.get("validate_by_name")
                yield (name if by_name or not field.alias else field.alias), getattr(value, name)
        yield from (value.model_extra or {}).items()
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            held = getattr(value, field.name)
            if field.init and not _is_usual(field, held):
                yield field.name, held
    else:
        raise UnwritableError(f"{kind.__module__}.{kind.__qualname__} is no data")


def _is_usual(field: Any, held: Any) -> bool:
    """Whether a field holds its default. The moment in which an object was made is one, at any time."""
    if field.default_factory is not dataclasses.MISSING:
        usual = field.default_factory()
        return bool(held == usual) or (isinstance(held, datetime) and isinstance(usual, datetime))
    return field.default is not dataclasses.MISSING and bool(held == field.default)


def _inside(result: Any) -> Iterator[tuple[AccessPath, Any]]:
    """A result and what is in it, nearest first, each with its path."""
    queue: list[tuple[AccessPath, Any, int]] = [("", result, 0)]
    seen: set[int] = set()
    for path, value, depth in queue:
        if id(value) in seen or len(seen) > MOST:
            continue
        if not isinstance(value, str | int | float | None):
            seen.add(id(value))
        yield path, value
        if depth < DEPTH:
            queue += [(path + step, item, depth + 1) for step, item in _members(value)]


def _members(value: Any) -> Iterator[tuple[AccessPath, Any]]:
    if isinstance(value, Mapping):
        yield from ((f"[{key!r}]", item) for key, item in value.items() if isinstance(key, str))
    elif isinstance(value, list | tuple):
        yield from ((f"[{place}]", item) for place, item in enumerate(value))
    elif not isinstance(value, str | bytes | int | float | type | None):
        held = getattr(value, "__dict__", None) or {}
        extra = getattr(value, "__pydantic_extra__", None) or {}
        public = ((name, item) for name, item in {**held, **extra}.items() if not name.startswith("_"))
        yield from ((f".{name}", item) for name, item in public if name.isidentifier())
