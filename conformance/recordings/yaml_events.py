"""YAML as plain data, element by element, built from the parser's events.

Strangers' cassettes are large, and YAML can do much that data need not. So nothing is constructed but text, numbers,
booleans, null, bytes, lists and objects; tags of programming languages make an element unreadable; aliases may repeat
a value only as far as the element stays within its size; depth is bounded. Only one element is in memory at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import yaml
from yaml.constructor import SafeConstructor
from yaml.resolver import Resolver

from conformance.model import Json
from conformance.recordings.bodies import MAX_RECORD

MAX_DEPTH = 200

GIVE_UP_DEPTH = 6000
"""From which depth on the rest of the text is not read: each token costs the parser as many steps as it is deep."""

_TAG = "tag:yaml.org,2002:"
_TEXT = frozenset({"!", f"{_TAG}str", f"{_TAG}python/unicode", f"{_TAG}python/str"})
"""What is text. Python 2 wrote its two kinds of text with tags of their own."""
_PLAIN = frozenset({f"{_TAG}map", f"{_TAG}seq", "!"})
_RESOLVER: Any = Resolver()
_CONSTRUCTOR: Any = SafeConstructor()


class PlainDataError(ValueError):
    """An element that is more than plain data, or too large."""


@dataclass(frozen=True, slots=True)
class Element:
    """An element and its first line. ``problem`` says why ``value`` is not there."""

    line: int
    value: Json = None
    problem: str | None = None


def yaml_elements(file: BinaryIO, keys: tuple[str, ...], beside: dict[str, Json] | None = None) -> Iterator[Element]:
    """The elements of the list under one of ``keys``, or of the list that the document is.

    Yields nothing when there is no such list. ``beside`` takes what stands beside the list in the document, and the
    list's key with an empty one. Raises `yaml.YAMLError` where the text is not YAML, or far too deep.
    """
    events: Iterator[Any] = yaml.parse(file, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    for event in events:
        if isinstance(event, yaml.SequenceStartEvent):
            yield from _each(events)
            return
        if isinstance(event, yaml.MappingStartEvent):
            break
    for event in events:
        if isinstance(event, yaml.MappingEndEvent):
            return
        key = _Builder(events).build(event)
        value = next(events)
        if key in keys and isinstance(value, yaml.SequenceStartEvent):
            yield from _each(events)
            kept = []
        else:
            kept = _Builder(events).build(value)
        if beside is not None and isinstance(key, str):
            beside[key] = kept


def _each(events: Iterator[Any]) -> Iterator[Element]:
    shared: dict[str, tuple[Json, int]] = {}
    for event in events:
        if isinstance(event, yaml.SequenceEndEvent):
            return
        line = event.start_mark.line + 1
        builder = _Builder(events, shared)
        value = builder.build(event)
        yield Element(line, None if builder.problem else value, builder.problem)


@dataclass(slots=True)
class _Open:
    """A collection that is being filled."""

    value: Any
    anchor: str | None
    weight: int = 1
    key: Json = None
    keyed: bool = False

    def take(self, item: Json, weight: int) -> None:
        self.weight += weight
        if isinstance(self.value, list):
            self.value.append(item)
        elif self.keyed:
            self.value[self.key if isinstance(self.key, str) else str(self.key)] = item
            self.keyed = False
        else:
            self.key, self.keyed = item, True


@dataclass(slots=True)
class _Builder:
    """Builds one value. A loop and no recursion: the text may be deep. ``shared`` holds anchored values, weighed."""

    events: Iterator[Any]
    shared: dict[str, tuple[Json, int]] = field(default_factory=dict)
    problem: str | None = None
    _open: list[_Open] = field(default_factory=list)
    _weight: int = 0

    def build(self, event: Any) -> Json:
        """The value that begins with ``event``. All its events are consumed, also when there is a problem."""
        depth = 0
        while True:
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
                self._begin(event, depth)
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
                result = self._end()
            else:
                result = self._add(*self._leaf(event), getattr(event, "anchor", None))
            if depth == 0:
                return result
            event = next(self.events)

    def _begin(self, event: Any, depth: int) -> None:
        if event.tag is not None and event.tag not in _PLAIN:
            self._fail(f"the tag {event.tag} is not plain data")
        if depth > GIVE_UP_DEPTH:
            raise yaml.MarkedYAMLError(problem=f"deeper than {GIVE_UP_DEPTH} levels", problem_mark=event.start_mark)
        if depth > MAX_DEPTH:
            self._fail(f"deeper than {MAX_DEPTH} levels")
        if self.problem is None:
            self._open.append(_Open([] if isinstance(event, yaml.SequenceStartEvent) else {}, event.anchor))

    def _end(self) -> Json:
        if self.problem is not None:
            return None
        done = self._open.pop()
        return self._add(done.value, done.weight, done.anchor)

    def _add(self, value: Json, weight: int, anchor: str | None) -> Json:
        if anchor is not None and self.problem is None:
            self.shared[anchor] = (value, weight)
        if self._open:
            self._open[-1].take(value, weight)
        return value

    def _leaf(self, event: Any) -> tuple[Json, int]:
        value, weight = self._value(event)
        self._weight += weight
        if self._weight > MAX_RECORD:
            self._fail(f"larger than {MAX_RECORD} bytes")
        return value, weight

    def _value(self, event: Any) -> tuple[Json, int]:
        if isinstance(event, yaml.AliasEvent):
            known = self.shared.get(str(event.anchor))
            if known is None:
                self._fail(f"the alias {event.anchor!r} has no value yet")
            return known or (None, 1)
        try:
            return _scalar(event), len(event.value) + 1
        except yaml.YAMLError as problem:
            self._fail(" ".join(str(problem).split()))
        except (ValueError, LookupError, ArithmeticError, TypeError) as problem:  # not as the tag says
            kind = (event.tag or "").removeprefix(_TAG)
            self._fail(str(problem) if isinstance(problem, PlainDataError) else f"{event.value[:50]!r} is no {kind}")
        return None, 1

    def _fail(self, why: str) -> None:
        self.problem = self.problem or why
        self._open.clear()


def line_of(problem: yaml.YAMLError) -> int:
    """The line in which a text stops being YAML; 1 where the parser does not say."""
    mark = getattr(problem, "problem_mark", None)
    return mark.line + 1 if mark is not None else 1


def why_not(problem: yaml.YAMLError) -> str:
    """Why a text is not read.

    Since PyYAML 6.0.4 the parser itself gives up at a depth of 1,000, and has no type for it.
    """
    words = " ".join(str(problem).split())
    return f"deeper than {MAX_DEPTH} levels" if "maximum nesting depth" in words else f"not YAML: {words}"


def _scalar(event: Any) -> Json:
    tag = event.tag
    if tag is None:
        plain, _ = event.implicit
        tag = _RESOLVER.resolve(yaml.ScalarNode, event.value, (True, False)) if plain else "!"
    if tag in _TEXT or tag == f"{_TAG}timestamp":
        return event.value
    node = yaml.ScalarNode(tag, event.value)
    match tag.removeprefix(_TAG):
        case "null":
            return None
        case "bool":
            return _CONSTRUCTOR.construct_yaml_bool(node)
        case "int":
            return _CONSTRUCTOR.construct_yaml_int(node)
        case "float":
            return _CONSTRUCTOR.construct_yaml_float(node)
        case "binary" | "python/bytes":
            return _CONSTRUCTOR.construct_yaml_binary(node)
    raise PlainDataError(f"the tag {tag} is not plain data")
