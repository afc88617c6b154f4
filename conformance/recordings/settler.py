"""Settling documents: what in a request is volatile is taken out, so that what is left says what is asked.

`conformance.wires.volatile` says what may differ, each provider's card what differs there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from conformance.model import Json
from conformance.wires.volatile import Volatile


@dataclass(slots=True)
class _Node:
    """Where the pointers go on from a place: to members that are followed, renumbered or left out, or to all."""

    inner: dict[str, _Node] = field(default_factory=dict)
    every: _Node | None = None
    ids: list[str] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    defaults: list[tuple[str, Json]] = field(default_factory=list)
    spellings: list[tuple[str, str]] = field(default_factory=list)
    base64: list[str] = field(default_factory=list)

    def step(self, name: str) -> _Node:
        if name != "*":
            return self.inner.setdefault(name, _Node())
        if self.every is None:
            self.every = _Node()
        return self.every


class Settler:
    """Settles documents: takes out of them what `Volatile` names. Made once, used for every request."""

    def __init__(self, volatile: Volatile) -> None:
        self._root = _Node()
        for pointer in volatile.ids:
            node, last = self._parent(pointer)
            node.ids.append(last)
        for pointer in volatile.ignored:
            node, last = self._parent(pointer)
            node.ignored.append(last)
        for pointer, value in volatile.defaults:
            node, last = self._parent(pointer)
            node.defaults.append((last, value))
        for pointer, name in volatile.spellings:
            node, last = self._parent(pointer)
            node.spellings.append((last, name))
        for pointer in volatile.base64:
            node, last = self._parent(pointer)
            node.base64.append(last)

    def _parent(self, pointer: str) -> tuple[_Node, str]:
        *names, last = _names(pointer)
        node = self._root
        for name in names:
            node = node.step(name)
        return node, last

    def settle(self, document: Json) -> None:
        """Settle a document in place."""
        _settle(document, self._root, {})


def _names(pointer: str) -> list[str]:
    if not pointer.startswith("/"):
        raise ValueError(f"{pointer!r} is no JSON pointer to a field: it does not begin with '/'")
    return [name.replace("~1", "/").replace("~0", "~") for name in pointer[1:].split("/")]


def _settle(value: Json, node: _Node, ids: dict[str, str]) -> None:
    """Go where the pointers lead. The order is that of the pointers, never that of an object's members."""
    if type(value) is list:
        _settle_list(value, node, ids)
    elif type(value) is dict:
        _settle_object(value, node, ids)


def _settle_object(value: dict[str, Json], node: _Node, ids: dict[str, str]) -> None:
    for name, kept in node.spellings:
        if name in value and kept not in value:
            value[kept] = value.pop(name)
    for name in node.ignored:
        for member in _named(value, name):
            del value[member]
    for name in node.base64:
        text = value.get(name)
        if type(text) is str:
            value[name] = text.translate(_STANDARD)
    for name, default in node.defaults:
        if name in value and _is_same(value[name], default):
            del value[name]
    for name in node.ids:
        for member in _named(value, name):
            value[member] = _settled_id(value[member], ids)
    for name, child in node.inner.items():
        if name in value:
            _settle(value[name], child, ids)
    if node.every is not None:
        for name in sorted(value):
            _settle(value[name], node.every, ids)


def _settle_list(value: list[Json], node: _Node, ids: dict[str, str]) -> None:
    if node.defaults:
        value[:] = [item for item in value if not any(_is_same(item, default) for _, default in node.defaults)]
    if "*" in node.ignored:
        value[:] = [None] * len(value)
    elif "*" in node.ids:
        value[:] = [_settled_id(item, ids) for item in value]
    every = node.every
    if every is not None:
        for item in value:
            if type(item) is dict:
                _settle_object(item, every, ids)
            elif type(item) is list:
                _settle_list(item, every, ids)


_STANDARD = str.maketrans("-_", "+/", "=")
"""From base64 of the URL alphabet to the usual one, without padding."""


def _is_same(found: Json, default: Json) -> bool:
    return type(found) is type(default) and found == default


def _named(value: dict[str, Json], name: str) -> Iterable[str]:
    if name in value:
        return (name,)
    return sorted(value) if name == "*" else ()


def _settled_id(found: Json, ids: dict[str, str]) -> Json:
    return ids.setdefault(found, f"‹id {len(ids) + 1}›") if type(found) is str and found else found
