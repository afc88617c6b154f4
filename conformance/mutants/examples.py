"""The violations of the rules' own examples as mutants: the cheap half of the proof that a rule bites.

They are named ``example:<rule>``. They are not played, so they do not count where a rule must kill a played mutant.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from typing import Any

from conformance.model import Json
from conformance.rules import Rule
from conformance.rules.examples import example_exchange
from conformance.rules.judge import judge


def example_dies(rule: Rule) -> bool:
    """Whether the rule finds fault with the violation of its own example, and none with the example."""
    broken = patched(rule.example, rule.violation)
    right = judge(rule, example_exchange(rule, rule.example))
    wrong = judge(rule, example_exchange(rule, broken))
    return bool(right) and not any(right) and any(wrong)


def patched(document: Mapping[str, Any], operations: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """A copy of ``document`` after a JSON Patch (RFC 6902) of add, remove, replace and move operations."""
    changed = copy.deepcopy(dict(document))
    for operation in operations:
        match operation["op"]:
            case "remove":
                _take(changed, operation["path"])
            case "add":
                _put(changed, operation["path"], copy.deepcopy(operation["value"]))
            case "replace":
                _replace(changed, operation["path"], copy.deepcopy(operation["value"]))
            case "move":
                _put(changed, operation["path"], _take(changed, operation["from"]))
    return changed


def _container(document: Json, path: str) -> tuple[Json, str]:
    """What holds the value at ``path``, and the last part of the path."""
    *parts, last = [part.replace("~1", "/").replace("~0", "~") for part in path.split("/")[1:]]
    for part in parts:
        document = document[int(part)] if isinstance(document, list) else document[part]
    return document, last


def _take(document: Json, path: str) -> Json:
    container, last = _container(document, path)
    return container.pop(int(last) if isinstance(container, list) else last)


def _replace(document: Json, path: str, value: Json) -> None:
    """In place, so that the order of keys stays what it was."""
    container, last = _container(document, path)
    container[int(last) if isinstance(container, list) else last] = value


def _put(document: Json, path: str, value: Json) -> None:
    container, last = _container(document, path)
    if isinstance(container, list):
        container.insert(len(container) if last == "-" else int(last), value)
    else:
        container[last] = value
