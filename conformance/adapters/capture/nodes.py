"""Expressions of a program as data: JSON, and among it what JSON has no word for."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

MARK = "$"
"""The member that tells an expression from an object of data."""

Node = Any
"""JSON data, in which an object with the member `MARK` is an expression."""


def source(text: str) -> Node:
    """Source of the program as it is: a name, or a path from one."""
    return {MARK: "source", "text": text}


def call(function: str, arguments: Sequence[Node], options: Mapping[str, Node]) -> Node:
    """A call of a function, or of a constructor."""
    return {MARK: "call", "function": function, "arguments": list(arguments), "options": dict(options)}


def octets(data: bytes) -> Node:
    """Bytes."""
    return {MARK: "bytes", "base64": base64.b64encode(data).decode()}


def sequence(items: Sequence[Node]) -> Node:
    """A tuple."""
    return {MARK: "tuple", "items": list(items)}


def mapping(items: Mapping[str, Node]) -> Node:
    """An object of data, also one that has a member like `MARK` itself."""
    return {MARK: "object", "members": [[key, item] for key, item in items.items()]} if MARK in items else dict(items)
