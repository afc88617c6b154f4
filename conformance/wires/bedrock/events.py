"""Converse: an event of a stream as JSON, an object with one member: ``{"messageStart": {"role": "assistant"}}``."""

from __future__ import annotations

from conformance.model import Json
from conformance.wires.facts import Object, obj


def type_and_fields(document: Json) -> tuple[str, Object]:
    """The type of an event, and what it says. ``""`` for what is none."""
    name = next(iter(obj(document)), "")
    return name, obj(obj(document).get(name))
