"""How what was found differs from what was expected: places as JSON pointers, moved and changed apart from missing.

DeepDiff finds the differences of structures. It is imported when the first one is looked at, because that takes longer
than most commands do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

from conformance.model import Json

DifferenceKind = Literal["missing", "added", "moved", "changed"]

MAX_VALUES = 2_000
"""How many values a structure may have that is looked into. What is larger is told as a whole."""
MOST = 12
"""How many differences of two structures are told."""
IDS = ("id", "call_id", "tool_call_id", "tool_use_id", "name")
"""The members by which two items of lists are the same thing."""


@dataclass(frozen=True, slots=True)
class ValueDifference:
    """One difference. ``at`` is a JSON pointer into what was expected, or, of what was added, into what was found;
    ``to`` is where it is now, of what was moved."""

    kind: DifferenceKind
    at: str
    to: str = ""


def value_differences(expected: Json, found: Json) -> tuple[ValueDifference, ...]:
    """What differs, in the order of the places. One of a whole value has the pointer ``""``."""
    if expected is None or found is None:
        return () if expected is found else (ValueDifference("missing" if found is None else "added", ""),)
    looked_into = type(expected) is type(found) and isinstance(expected, dict | list)
    if not looked_into or _size(expected) + _size(found) > MAX_VALUES:
        return (ValueDifference("changed", ""),)
    try:
        told = _with_moves([*_of_structures(expected, found)])
    except Exception:  # of a structure that nobody could compare, this can still be said
        told = []
    return tuple(sorted(told, key=lambda one: (one.at, one.to))[:MOST]) or (ValueDifference("changed", ""),)


def _size(value: Json) -> int:
    """How many values there are, as far as it matters."""
    waiting, count = [value], 0
    while waiting and count <= MAX_VALUES:
        one = waiting.pop()
        count += 1
        if isinstance(one, dict | list):
            waiting += one.values() if isinstance(one, dict) else one
    return count


@dataclass(frozen=True, slots=True)
class _Seen:
    difference: ValueDifference
    value: Any


def _of_structures(expected: Json, found: Json) -> Iterator[_Seen]:
    from deepdiff import DeepDiff

    tree = DeepDiff(
        expected, found, view="tree", iterable_compare_func=_are_same, threshold_to_diff_deeper=0, ignore_order=False
    )
    for name, kind in _KINDS.items():
        for level in tree.get(name, ()):
            place = _pointer(level.path(output_format="list"))
            yield _Seen(ValueDifference(kind, place), level.t2 if kind == "added" else level.t1)
    yield from _moved(tree.get("iterable_item_moved", ()))


def _moved(levels: Iterable[Any]) -> Iterator[_Seen]:
    """The items of lists that come in another order. Those that only follow others that came or went do not count."""
    lists: dict[str, list[tuple[int, int, Any]]] = {}
    for level in levels:
        places = level.up.t1_child_rel.param, level.up.t2_child_rel.param
        lists.setdefault(_pointer(level.up.path(output_format="list")), []).append((*places, level.t1))
    for at, items in lists.items():
        items.sort(key=lambda item: item[0])
        if any(one[1] > other[1] for one, other in pairwise(items)):
            for before, after, value in items:
                yield _Seen(ValueDifference("moved", f"{at}/{before}", f"{at}/{after}"), value)


_KINDS: Mapping[str, DifferenceKind] = {
    "dictionary_item_removed": "missing",
    "iterable_item_removed": "missing",
    "dictionary_item_added": "added",
    "iterable_item_added": "added",
    "values_changed": "changed",
    "type_changes": "changed",
}
"""What DeepDiff calls each kind."""


def _are_same(one: Any, other: Any, level: object = None) -> bool:
    """Whether two items of lists are the same thing, perhaps at another place."""
    from deepdiff.helper import CannotCompare

    if isinstance(one, dict) and isinstance(other, dict) and one != other:
        name = next((name for name in IDS if name in one or name in other), None)
        if name is None:
            raise CannotCompare
        return bool(one.get(name) == other.get(name))
    return bool(one == other)


def _with_moves(seen: Sequence[_Seen]) -> list[ValueDifference]:
    """What is missing at one place and was added at another, the same value, has moved."""
    added = [one for one in seen if one.difference.kind == "added"]
    told: list[ValueDifference] = []
    for one in seen:
        twin = next((other for other in added if one.difference.kind == "missing" and other.value == one.value), None)
        if twin is not None:
            added.remove(twin)
            told.append(ValueDifference("moved", one.difference.at, twin.difference.at))
        elif one.difference.kind != "added":
            told.append(one.difference)
    return [*told, *(one.difference for one in added)]


def _pointer(path: Sequence[Any]) -> str:
    return "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in path)
