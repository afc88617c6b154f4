"""Places in a provider's documents, written as `conformance.coverage.forms` names them.

| place | what is there |
|---|---|
| `response.usage.iterations` | a member |
| `response.content[type=tool_use].caller` | the member of each item whose ``type`` is this |
| `response.choices[].message` | the member of every item |
| `stream(type=message_delta).usage` | the member, in events of this type |
| `response.output[no type]`, `response.input(string)` | what has no such member, what has this JSON type |
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from conformance.model import Json

TOKEN = re.compile(r"\.(?P<member>[\w$*-]+)|\[(?P<items>[^\]]*)\]|\((?P<told>[^)]*)\)")
SIDE = re.compile(r"request|response|stream")
TYPES: Mapping[str, type | tuple[type, ...]] = {
    "object": dict, "array": list, "string": str, "boolean": bool, "number": (int, float), "null": type(None)
}  # fmt: skip


class PlaceError(ValueError):
    """A text that is no place."""


@dataclass(frozen=True, slots=True)
class PlaceStep:
    """One step on the way: into a member, into a list's items, or on only where the label is true."""

    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class Spot:
    """A place that was found: in ``holder``, under ``key``, which a member need not have yet."""

    holder: Any
    key: str | int

    @property
    def there(self) -> bool:
        """Whether something is there."""
        return isinstance(self.key, int) or self.key in self.holder

    @property
    def value(self) -> Json:
        """What is there; ``None`` where nothing is."""
        return self.holder[self.key] if self.there else None


@cache
def steps_of(at: str) -> tuple[PlaceStep, ...]:
    """The steps of a place behind its side. Raises `PlaceError`."""
    side = SIDE.match(at)
    if side is None:
        raise PlaceError(f"{at!r} is no place: it begins with 'request', 'response' or 'stream'")
    steps, here = [], side.end()
    while here < len(at):
        found = TOKEN.match(at, here)
        if found is None:
            raise PlaceError(f"{at!r} is no place: {at[here:]!r} is neither .member, [items] nor (label)")
        steps += [PlaceStep(kind, name) for kind, name in found.groupdict().items() if name is not None]
        here = found.end()
    return tuple(steps)


def spots(document: Json, steps: Sequence[PlaceStep]) -> Iterator[Spot]:
    """Where in a document the last step leads: members that are there or may come, and items of lists."""
    if not steps:
        return
    first, *rest = steps
    if first.kind == "told":
        if is_labelled(document, first.name):
            yield from spots(document, rest)
        return
    for spot in _reached(document, first):
        if not rest:
            yield spot
        elif all(step.kind == "told" for step in rest):
            if spot.there and all(is_labelled(spot.value, step.name) for step in rest):
                yield spot
        elif spot.there:
            yield from spots(spot.value, rest)


def _reached(document: Json, step: PlaceStep) -> Iterator[Spot]:
    if step.kind == "member" and isinstance(document, dict):
        names = list(document) if step.name == "*" else [step.name]
        yield from (Spot(document, name) for name in names)
    elif step.kind == "items" and isinstance(document, list):
        for number, item in enumerate(document):
            if not step.name or is_labelled(item, step.name):
                yield Spot(document, number)


def is_labelled(value: Json, label: str) -> bool:
    """Whether a label such as ``type=text``, ``no type`` or ``string`` is true of a value."""
    name, equals, wanted = label.partition("=")
    if equals:
        return isinstance(value, dict) and value.get(name) == wanted
    if label.startswith("no "):
        return isinstance(value, dict) and label[3:] not in value
    known = TYPES.get(label)
    if known is None:
        raise PlaceError(f"{label!r} is no label: write member=value, 'no member' or a JSON type")
    return isinstance(value, known) and (label == "boolean" or not isinstance(value, bool))
