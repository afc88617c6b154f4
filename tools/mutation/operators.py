"""A source file as cosmic-ray's operators change it: parsed once, changed at one place at a time, and put back."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple


class Edit(NamedTuple):
    """One change of a file: the line at which it is, and the text of the file with it."""

    line: int
    text: str


class Tree:
    """A file that is changed and put back. cosmic-ray parses it for each change, which takes most of the time."""

    def __init__(self, source: str) -> None:
        from cosmic_ray.ast import ast_nodes, get_ast  # only who makes mutants needs it

        self._root: Any = get_ast(source)
        self._nodes = list(ast_nodes(self._root))

    def edits(self, operator: str) -> Iterator[Edit]:
        """What an operator makes of the file, place by place, as cosmic-ray counts them."""
        for place in self._places(operator):
            yield self._edit(operator, *place)

    def edit(self, operator: str, occurrence: int) -> Edit:
        """What an operator makes of one place."""
        return self._edit(operator, *list(self._places(operator))[occurrence])

    def _places(self, operator: str) -> Iterator[tuple[Any, int, int]]:
        """The nodes that an operator can change, with the number of the change in the node, and the line."""
        found = _operator(operator)
        for node in self._nodes:
            for index, (start, _) in enumerate(found.mutation_positions(node)):
                yield node, index, start[0]

    def _edit(self, operator: str, node: Any, index: int, line: int) -> Edit:
        parent, kept = node.parent, list(_kept(node))
        siblings = list(parent.children) if parent is not None else []
        changed = _operator(operator).mutate(node, index)
        if parent is not None:
            own = [(changed if one is node else one) for one in siblings]
            parent.children = [one for one in own if one is not None]
        text = self._root.get_code()
        if parent is not None:
            parent.children = siblings
        for one, name, value in kept:
            setattr(one, name, value)
        return Edit(line, text)


@cache
def tree(source: str) -> Tree:
    """A file, parsed once. What a fork does to it, the others do not see."""
    return Tree(source)


@cache
def _operator(name: str) -> Any:
    from cosmic_ray.plugins import get_operator

    return get_operator(f"core/{name}")()


def _kept(node: Any) -> Iterator[tuple[Any, str, Any]]:
    """What an operator may change: the children and the words in a node."""
    if hasattr(node, "children"):
        yield node, "children", list(node.children)
        for child in node.children:
            yield from _kept(child)
    else:
        yield node, "value", node.value
        yield node, "prefix", node.prefix
