"""Doors of one expression, written where they are called: ``client.chat.completions.create(model=…)``."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from conformance.adapters.capture import nodes
from conformance.adapters.capture.nodes import MARK, Node

Definition = ast.FunctionDef


class _NotInlineError(Exception):
    """An expression that has no place among arguments."""


def inlined(captured: Mapping[str, Any]) -> dict[str, Any]:
    """A captured model call in Python, with the calls of its simple doors replaced by what they return.

    A door is simple that only returns a call, with its own parameters as arguments. What a method is called on gets a
    name of its own. Imports and definitions that nothing needs any more are left out.
    """
    definitions = {_name(text): text for text in captured["definitions"]}
    inliner = _Inliner(dict(_simple(definitions)), _taken(captured))
    steps = [step for given in captured["steps"] for step in inliner.step(given)]
    used = set(_used_names(steps))
    kept: list[str] = []
    for name, text in reversed(definitions.items()):
        if name in used:
            kept.insert(0, text)
            used |= _names(text)
    return {
        "imports": [line for line in captured["imports"] if _bound(line) in used],
        "definitions": kept,
        "steps": steps,
    }


@dataclass
class _Inliner:
    doors: Mapping[str, Definition]
    taken: set[str]
    made: list[dict[str, Any]] = field(default_factory=list)
    """Steps of our own: they make what methods are called on. Equal objects are made once."""

    def step(self, step: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """The step, after those which it needs and which are not there yet."""
        there = len(self.made)
        value = self._node(step["value"])
        yield from self.made[there:]
        yield {**step, "value": value}

    def _node(self, node: Node) -> Node:
        if isinstance(node, list):
            return [self._node(item) for item in node]
        if not isinstance(node, dict):
            return node
        node = {key: self._node(item) for key, item in node.items()}
        door = self.doors.get(node["function"]) if node.get(MARK) == "call" else None
        if door is None:
            return node
        made, taken = list(self.made), set(self.taken)
        try:
            return self._built(_returned(door), _arguments(door, node))
        except _NotInlineError:
            self.made, self.taken = made, taken
            return node

    def _built(self, tree: ast.expr, given: Mapping[str, Node]) -> Node:
        """What a door returns, with its parameters replaced."""
        match tree:
            case ast.Constant(value=bool() | int() | float() | str() | None as value):
                return value
            case ast.Name(id=name):
                return given[name] if name in given else nodes.source(name)
            case ast.Attribute(value=of, attr=attribute):
                return nodes.source(f"{self._named(of, given)}.{attribute}")
            case ast.Call(func=function, args=arguments, keywords=keywords):
                options: dict[str, Node] = {}
                for keyword in keywords:
                    made = self._built(keyword.value, given)
                    options |= made if keyword.arg is None else {keyword.arg: made}
                place = self._named(function, given)
                return self._node(nodes.call(place, [self._built(item, given) for item in arguments], options))
        raise _NotInlineError

    def _named(self, tree: ast.expr, given: Mapping[str, Node]) -> str:
        """The name of a value: its own, or a fresh one, which a step before gives it."""
        node = self._built(tree, given)
        if isinstance(node, dict) and node.get(MARK) == "source":
            return str(node["text"])
        if not isinstance(tree, ast.Name):
            raise _NotInlineError
        for step in self.made:
            if step["value"] == node:
                return str(step["name"])
        name, number = tree.id, 1
        while name in self.taken:
            number += 1
            name = f"{tree.id}_{number}"
        self.taken.add(name)
        self.made.append({"name": name, "value": node, "model_call": False})
        return name


def _simple(definitions: Mapping[str, str]) -> Iterator[tuple[str, Definition]]:
    """The functions that return a call, by name."""
    for name, text in definitions.items():
        match ast.parse(text).body:
            case [ast.FunctionDef(decorator_list=[], body=[ast.Return(value=ast.Call())]) as function]:
                yield name, function


def _returned(door: Definition) -> ast.expr:
    match door.body:
        case [ast.Return(value=ast.expr() as value)]:
            return value
    raise _NotInlineError


def _arguments(door: Definition, call: Node) -> dict[str, Node]:
    """The arguments of a call by parameter; those of ``**`` are one mapping. Raises when one is not given."""
    names, options = [item.arg for item in (*door.args.posonlyargs, *door.args.args)], dict(call["options"])
    given: dict[str, Node] = dict(zip(names, call["arguments"], strict=False))
    for name in (*names, *(item.arg for item in door.args.kwonlyargs)):
        if name in options:
            given[name] = options.pop(name)
        if name not in given:
            raise _NotInlineError
    if door.args.vararg or len(call["arguments"]) > len(names) or (options and door.args.kwarg is None):
        raise _NotInlineError
    return {**given, door.args.kwarg.arg: options} if door.args.kwarg else given


# --- names -----------------------------------------------------------------------------------------------------------


def _taken(captured: Mapping[str, Any]) -> set[str]:
    steps: Sequence[Mapping[str, Any]] = captured["steps"]
    return {
        *(step["name"] for step in steps),
        *map(_bound, captured["imports"]),
        *map(_name, captured["definitions"]),
    }


def _name(definition: str) -> str:
    """What a definition defines."""
    match ast.parse(definition).body:
        case [ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name)]:
            return name
        case [ast.Assign(targets=[ast.Name(id=name)])]:
            return name
    raise ValueError(f"no definition: {definition}")


def _bound(line: str) -> str:
    """The name that an import gives: ``a`` for ``import a.b``."""
    return line.rpartition(" ")[2].partition(".")[0]


def _used_names(node: Node) -> Iterator[str]:
    """The names in an expression that are no data."""
    if isinstance(node, dict):
        if node.get(MARK) in ("source", "call"):
            yield from _names(node.get("text") or node["function"])
        node = list(node.values())
    if isinstance(node, list):
        for item in node:
            yield from _used_names(item)


def _names(source: str) -> set[str]:
    """The names that source uses, without those of attributes."""
    return {node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)}
