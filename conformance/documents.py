"""YAML and JSON files as JSON data, of bounded size and depth, so that a stranger's file can do no harm."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from conformance.wording import LineError

Document = dict[str, Any]
"""A JSON object, such as a result or a file of ours."""

MAX_BYTES = 1_000_000
"""How large a file may be."""
MAX_DEPTH = 100
"""How deep its document may be."""


class DocumentError(LineError):
    """A file that cannot be used. The message says, in one line, which one, where in it, and why."""


@cache
def _loader() -> Any:
    """The safe loader, without what JSON does not know: dates stay text, and a key stands once in a mapping."""
    import yaml  # most that import this module read no YAML

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        yaml_implicit_resolvers: ClassVar[Any] = {
            first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith(":timestamp")]
            for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
        }

        def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
            mapping: dict[Any, Any] = super().construct_mapping(node, deep=deep)
            if len(mapping) < len(node.value):
                raise yaml.YAMLError(f"a key stands twice in the mapping of line {node.start_mark.line + 1}")
            return mapping

    return Loader


def read_document(path: Path) -> Any:
    """The document in a file, by its suffix: ``.json`` is JSON, others are YAML. Raises `DocumentError`."""
    return read_json(path) if path.suffix == ".json" else read_yaml(path)


def read_json(path: Path) -> Any:
    """The document in a JSON file. Raises `DocumentError`."""
    try:
        document = json.loads(_bytes(path), object_pairs_hook=_with_different_keys)
    except (ValueError, RecursionError) as problem:
        raise DocumentError(f"{path}: not JSON: {problem}") from None
    for at, why in _not_json(document):
        raise DocumentError(f"{path}: at {at or '/'}: {why}")
    return document


def _with_different_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("a key stands twice in an object")
    return members


def bytes_read(path: Path, most: int) -> bytes:
    """What is in a file, and no more than one byte above ``most``. Raises `OSError`.

    A FIFO to which nobody writes is empty, and is not waited for. A pipe that somebody writes to can be read: shells
    make them of ``<(...)``.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as file:
        os.set_blocking(descriptor, True)
        return file.read(most + 1)


def _bytes(path: Path) -> bytes:
    try:
        data = bytes_read(path, MAX_BYTES)
    except OSError as problem:
        raise DocumentError(f"{path}: {problem.strerror}") from None
    if len(data) > MAX_BYTES:
        raise DocumentError(f"{path}: larger than {MAX_BYTES} bytes")
    return data


def read_yaml(path: Path) -> Any:
    """The document in a YAML file, as plain JSON data. Raises `DocumentError`."""
    import yaml

    text = _bytes(path)
    try:
        _check_events(text)
        document = yaml.load(text, Loader=_loader())
    except (yaml.YAMLError, ValueError, RecursionError) as problem:
        raise DocumentError(f"{path}: not YAML: {' '.join(str(problem).split())}") from None
    except (LookupError, ArithmeticError, TypeError, AttributeError) as problem:  # PyYAML's own, for a wrong scalar
        raise DocumentError(f"{path}: not YAML: a value is not what its tag says ({problem})") from None
    for at, why in _not_json(document):
        raise DocumentError(f"{path}: at {at or '/'}: {why}")
    return document


def _check_events(text: bytes) -> None:
    """No aliases, because a small file must not become a large document; and no depth that exhausts the stack."""
    import yaml

    depth = 0
    for event in yaml.parse(text, Loader=_loader()):
        if isinstance(event, yaml.AliasEvent):
            raise yaml.YAMLError("aliases are not allowed")
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise yaml.YAMLError(f"deeper than {MAX_DEPTH} levels")


def _not_json(value: Any, at: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
    """What in a document is not JSON, or too deep: JSON pointer and words."""
    if depth > MAX_DEPTH:
        yield at[:80], f"deeper than {MAX_DEPTH} levels"
        return
    match value:
        case None | str() | bool() | int():
            return
        case float():
            if not math.isfinite(value):
                yield at, f"{value} is no JSON number"
        case list():
            for place, item in enumerate(value):
                yield from _not_json(item, f"{at}/{place}", depth + 1)
        case dict():
            for key, item in value.items():
                if not isinstance(key, str):
                    yield at, f"the key {key!r} is not text; quote it"
                yield from _not_json(item, f"{at}/{key}", depth + 1)
        case _:
            yield at, f"a {type(value).__name__} is no JSON value"
