"""What in a request may differ from run to run and does not make it another request.

Two kinds of fields, named by JSON pointers in which ``*`` stands for every element of a list and every member of an
object:

- ``ignored``: the value does not count, nor does whether it is there: who the user is, tags, idempotency keys.
- ``ids``: what counts is which ids are equal, not how they read. Libraries mint ids where a provider gives none, anew
  in each run. Each id is replaced by its number in order of appearance, and by the same one wherever it stands again:
  a result that answers another call is another request.

``query`` names query parameters that do not count, in lower case: keys are no part of what is asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from conformance.model import Json


@dataclass(frozen=True, slots=True)
class Volatile:
    """Fields that differ from run to run. ``a | b`` has the fields of both."""

    ignored: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    query: tuple[str, ...] = ()

    def __or__(self, other: Volatile) -> Volatile:
        return Volatile(self.ignored + other.ignored, self.ids + other.ids, self.query + other.query)


_KEYS = Volatile(query=("key", "api_key", "api-key", "apikey", "access_token", "token", "sig", "signature"))

_CHAT = _KEYS | Volatile(
    ("/user", "/metadata", "/safety_identifier", "/prompt_cache_key", "/idempotency_key"),
    ("/messages/*/tool_calls/*/id", "/messages/*/tool_call_id"),
)

VOLATILE: Mapping[str, Volatile] = {
    "openai-chat": _CHAT,
    "openai-responses": _KEYS
    | Volatile(
        ("/user", "/metadata", "/safety_identifier", "/prompt_cache_key", "/idempotency_key"),
        ("/input/*/call_id",),
    ),
    "anthropic": _KEYS | Volatile(("/metadata",), ("/messages/*/content/*/id", "/messages/*/content/*/tool_use_id")),
    "gemini": _KEYS
    | Volatile(
        ("/labels",),
        (
            "/contents/*/parts/*/functionCall/id",
            "/contents/*/parts/*/functionResponse/id",
            "/contents/*/parts/*/function_call/id",
            "/contents/*/parts/*/function_response/id",
        ),
    ),
    "ollama": _CHAT,
    "azure": _CHAT,
    "xai": _CHAT,
    "deepseek": _CHAT,
    "mistral": _CHAT,
    "unified": _KEYS | Volatile(("/metadata",), ("/input/*/tool_calls/*/id", "/input/*/tool_call_id")),
}
"""By provider. The places do not overlap, so that all of them together are right for traffic of any provider."""


def _together(all_of_them: Iterable[Volatile]) -> Volatile:
    """The fields of all, each named once."""
    names: tuple[dict[str, None], dict[str, None], dict[str, None]] = ({}, {}, {})
    for one in all_of_them:
        for known, more in zip(names, (one.ignored, one.ids, one.query), strict=True):
            known.update(dict.fromkeys(more))
    ignored, ids, query = names
    return Volatile(tuple(ignored), tuple(ids), tuple(query))


BUILT_IN = _together(VOLATILE.values())
"""The volatile fields of all providers."""

NOTHING = Volatile()
"""Every field counts."""


@dataclass(slots=True)
class _Node:
    """Where the pointers go on from a place: to members that are followed, renumbered or left out, or to all."""

    inner: dict[str, _Node] = field(default_factory=dict)
    every: _Node | None = None
    ids: list[str] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)

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
    for name in node.ignored:
        for member in _named(value, name):
            del value[member]
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


def _named(value: dict[str, Json], name: str) -> Iterable[str]:
    if name in value:
        return (name,)
    return sorted(value) if name == "*" else ()


def _settled_id(found: Json, ids: dict[str, str]) -> Json:
    return ids.setdefault(found, f"‹id {len(ids) + 1}›") if type(found) is str and found else found
