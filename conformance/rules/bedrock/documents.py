"""What checks look at in raw Converse documents."""

from __future__ import annotations

from typing import Literal

from conformance.model import Json
from conformance.transcript import Exchange, once
from conformance.wires.bedrock.request import client_blocks
from conformance.wires.facts import Object, items, obj

PlacedBlock = tuple[str, Object]
"""A pointer and the object that is there."""


def placed(at: str, listed: Json) -> list[PlacedBlock]:
    """The elements of ``listed``, if it is a list, with their pointers. What is no object becomes an empty one."""
    return [(f"{at}/{place}", obj(item)) for place, item in items(listed)]


@once
def messages(x: Exchange) -> list[PlacedBlock]:
    """The request's messages, with their pointers."""
    return placed("/messages", obj(x.facts.document).get("messages"))


BlockKind = Literal["toolUse", "toolResult"]


def blocks_of(message: PlacedBlock, kind: BlockKind) -> list[PlacedBlock]:
    """The calls, or the results, of a message, but for those of the provider's own tools."""
    at, fields = message
    return client_blocks(f"{at}/content", fields.get("content"), kind)


def all_blocks(x: Exchange, kind: BlockKind) -> list[PlacedBlock]:
    """The calls, or the results, of all messages."""
    return [block for message in messages(x) for block in blocks_of(message, kind)]


def sent_thoughts(x: Exchange) -> list[PlacedBlock]:
    """The thinking in all messages."""
    return [
        (f"{here}/reasoningContent", obj(block["reasoningContent"]))
        for at, message in messages(x)
        for here, block in placed(f"{at}/content", message.get("content"))
        if "reasoningContent" in block
    ]


def answered(answer: Json) -> list[Object]:
    """The content blocks of an answer."""
    content = obj(obj(obj(answer).get("output")).get("message")).get("content")
    return [block for _, block in items(content) if isinstance(block, dict)]
