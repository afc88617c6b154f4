"""Converse: what both halves ask of events and blocks.

An event of a stream is, as JSON, an object with one member: ``{"messageStart": {"role": "assistant"}}``. So is a block:
``{"text": "hello"}``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from conformance.model import Json
from conformance.wires.facts import Object, items, obj

SERVER = "server_tool_use"
"""The type of a call that the provider runs itself. Calls for the client have another, or none."""


def type_and_fields(document: Json) -> tuple[str, Object]:
    """The type of an event, and what it says. ``""`` for what is none."""
    name = next(iter(obj(document)), "")
    return name, obj(obj(document).get(name))


def is_call(block: Mapping[str, Json]) -> bool:
    """Whether a block is a call that the client runs."""
    return "toolUse" in block and obj(block["toolUse"]).get("type") != SERVER


def texts_in(block: Mapping[str, Json]) -> Iterator[tuple[str, str]]:
    """The words in a block, each with the pointer to it. Words that have a source stand beside it, in
    ``citationsContent``."""
    if isinstance(block.get("text"), str):
        yield "/text", block["text"]
    for place, part in items(obj(block.get("citationsContent")).get("content")):
        if isinstance(obj(part).get("text"), str):
            yield f"/citationsContent/content/{place}/text", obj(part)["text"]
