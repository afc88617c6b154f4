"""A model call as a program: the doors that it needs, called in their order."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from conformance.adapters.capture import nodes
from conformance.adapters.capture.calls import DoorCall
from conformance.adapters.capture.nodes import Node
from conformance.adapters.capture.source import SourceSlice, name_of
from conformance.adapters.capture.values import ResultReference

NOUNS = ("provider", "model", "generator")
"""Classes of libraries that are no clients, by what their names end with."""

def write(path: str, calls: list[DoorCall], imports: Iterable[str], model_call: int) -> None:
    """Add a line about a model call to a file. ``imports`` are what arguments may need."""
    with Path(path).open("a", encoding="utf-8") as file:
        file.write(json.dumps(program(calls, imports, model_call)) + "\n")


def program(calls: list[DoorCall], imports: Iterable[str], model_call: int) -> dict[str, Any]:
    """``imports``, ``definitions`` and ``steps`` of the model call with a number. No steps: it came to no door.

    A step has a ``name`` for its result, the ``value`` as an expression, and the number of its ``model_call``; that is
    ``false`` where it makes none. Calls whose result nothing needs are left out. A result that is needed once stands
    where it is needed.
    """
    needed = _needed(calls, model_call)
    names = dict(_names(needed))
    sources = SourceSlice(call.function for call in needed)
    steps = [
        {
            "name": names[call],
            "value": _resolved(_called(call), names),
            "model_call": call.asked and call.model_call,
        }
        for call in needed
        if call in names
    ]
    lines = [*sources.imports, *(line for line in imports if _is_used(line, steps))]
    return {"imports": list(dict.fromkeys(lines)), "definitions": sources.definitions, "steps": steps}


def _needed(calls: list[DoorCall], model_call: int) -> list[DoorCall]:
    """The last call of the provider, or the one that raised, and those whose results it needs, directly or not."""
    last = [call for call in calls if call.model_call == model_call]
    telling = [call for call in last if call.asked or call.raised]
    wanted = set((telling or last)[-1:])
    for call in reversed(calls):
        if call in wanted:
            wanted |= set(_references(call))
    return [call for call in calls if call in wanted]


def _references(call: DoorCall) -> Iterator[DoorCall]:
    """The calls whose results a call needs, as often as it needs them."""
    yield from (node.call for node in _walk([call.arguments, call.options]) if isinstance(node, ResultReference))


def _walk(node: Node) -> Iterator[Node]:
    yield node
    inner = list(node.values()) if isinstance(node, dict) else node if isinstance(node, list) else ()
    for item in inner:
        yield from _walk(item)


def _names(calls: list[DoorCall]) -> Iterator[tuple[DoorCall, str]]:
    """The calls that are statements, with the names of their results. Others stand where their result is needed."""
    uses = [used for call in calls for used in _references(call)]
    taken = {name_of(call.function) for call in calls}
    for call in calls:
        if call is calls[-1] or call.asked or uses.count(call) != 1 or _is_looked_into(call, calls):
            name = "answer" if call.asked or call is calls[-1] else _noun(call.function)
            number = 1
            while (fresh := name if number == 1 else f"{name}_{number}") in taken:
                number += 1
            taken.add(fresh)
            yield call, fresh


def _is_looked_into(call: DoorCall, calls: list[DoorCall]) -> bool:
    """Whether something inside of a result is needed, not the whole."""
    return any(
        isinstance(node, ResultReference) and node.call is call and node.path
        for other in calls
        for node in _walk([other.arguments, other.options])
    )


def _noun(function: Callable[..., Any]) -> str:
    """What to call a result: after a function that makes it, or after what the name of its class ends with."""
    if not isinstance(function, type):
        return function.__name__.removeprefix("new_")
    return next((noun for noun in NOUNS if function.__name__.lower().endswith(noun)), "client")


def _called(call: DoorCall) -> Node:
    return nodes.call(name_of(call.function), call.arguments, call.options)


def _resolved(node: Node, names: dict[DoorCall, str]) -> Node:
    """The expression with names, or with calls, where results are meant."""
    if isinstance(node, ResultReference):
        if node.call in names:
            return nodes.source(names[node.call] + node.path)
        return _resolved(_called(node.call), names)
    if isinstance(node, dict):
        return {key: _resolved(item, names) for key, item in node.items()}
    return [_resolved(item, names) for item in node] if isinstance(node, list) else node


def _is_used(line: str, steps: list[dict[str, Any]]) -> bool:
    name = line.rpartition(" ")[2]
    return any(
        isinstance(node, dict) and name == str(node.get("function", node.get("text", ""))).partition(".")[0]
        for node in _walk(steps)
    )
