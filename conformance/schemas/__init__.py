"""The JSON Schemas that come with the package, and checking against them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import Any


@cache
def schema(name: str) -> dict[str, Any]:
    """The schema ``<name>.schema.json``."""
    text = (resources.files("conformance.schemas") / f"{name}.schema.json").read_text("utf-8")
    document: dict[str, Any] = json.loads(text)
    return document


@cache
def _validator(name: str, member: str = "") -> Any:
    import jsonschema_rs

    whole = schema(name)
    return jsonschema_rs.validator_for(whole["properties"][member] if member else whole)


def problems(name: str, document: Any) -> Iterator[tuple[str, str]]:
    """What is wrong with ``document``: JSON pointer and words, the most specific first. Nothing when it conforms."""
    yield from _problems(_validator(name), document)


def member_problems(name: str, member: str, value: Any) -> Iterator[tuple[str, str]]:
    """`problems` of a member of such a document, whose own schema refers to nothing else."""
    yield from _problems(_validator(name, member), value)


def _problems(validator: Any, document: Any) -> Iterator[tuple[str, str]]:
    try:
        errors = list(validator.iter_errors(document))
    except UnicodeEncodeError:
        errors = list(validator.iter_errors(_encodable(document)))
    for error in sorted(errors, key=lambda error: -len(error.instance_path)):
        at = "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in error.instance_path)
        yield at, _shortened(error.message)


def _shortened(message: str) -> str:
    return message if len(message) <= 300 else f"{message[:150]} … {message[-140:]}"


def _encodable(value: Any) -> Any:
    """A document in which lone surrogates are question marks. The validator's strings are UTF-8, which has none."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_encodable(key): _encodable(item) for key, item in value.items()}
    return [_encodable(item) for item in value] if isinstance(value, list) else value
