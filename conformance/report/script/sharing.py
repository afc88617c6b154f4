"""Equal objects of a program made once: ``const model = new ChatModel(…)``, asked twice."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from conformance.adapters.capture import nodes
from conformance.adapters.capture.nodes import MARK, Node

LONG = 80
"""Shorter expressions may stand twice, in characters of JSON."""


def shared(steps: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Steps in which each large object that several need is made once, before the first of them."""
    expressions = Counter(json.dumps(node) for step in steps for node in _made(step["value"]))
    names: dict[str, str] = {}
    taken = {step["name"] for step in steps}
    found: list[dict[str, Any]] = []
    for step in steps:
        for node in _made(step["value"]):
            text = json.dumps(node)
            if expressions[text] > 1 and len(text) > LONG and text not in names:
                names[text] = _fresh(_noun(node["function"]), taken)
                found.append({"name": names[text], "value": node, "model_call": False})
        found.append({**step, "value": _named(step["value"], names)})
    return found


def _made(node: Node) -> Iterator[Node]:
    """The objects that an expression makes, the outer ones only. What depends on an answer is none of them."""
    if isinstance(node, dict) and node.get(MARK) == "call" and node["function"].startswith("new "):
        yield node
        return
    inner = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    for item in inner:
        yield from _made(item)


def _named(node: Node, names: Mapping[str, str]) -> Node:
    if isinstance(node, dict) and node.get(MARK) == "call" and json.dumps(node) in names:
        return nodes.source(names[json.dumps(node)])
    if isinstance(node, dict):
        return {key: _named(item, names) for key, item in node.items()}
    return [_named(item, names) for item in node] if isinstance(node, list) else node


def _noun(function: str) -> str:
    """What to call an object: after its class, ``chatModel`` for ``new ChatModel``."""
    name = function.removeprefix("new ").rpartition(".")[2]
    return re.sub(r"^[A-Z]+(?=[A-Z]|$)|^[A-Z]", lambda head: head[0].lower(), name)


def _fresh(name: str, taken: set[str]) -> str:
    number = 1
    while (fresh := name if number == 1 else f"{name}{number}") in taken:
        number += 1
    taken.add(fresh)
    return fresh
