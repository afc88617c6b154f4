"""Cohere's chat: results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from conformance.model import Json
from conformance.rules.chat.documents import messages
from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.rules.shared.pairing import usable
from conformance.transcript import Exchange
from conformance.wires.facts import items, obj


def _tool_messages(x: Exchange) -> Iterator[tuple[str, Mapping[str, Json]]]:
    return ((at, message) for at, message in messages(x) if message.get("role") == "tool")


@check("cohere.result.tool-call-id")
def tool_call_id(x: Exchange) -> Verdicts:
    for at, message in _tool_messages(x):
        ref = message.get("tool_call_id")
        yield holds(usable(ref), f"{at}/tool_call_id", "the id of the call", ref)


@check("cohere.result.content")
def content(x: Exchange) -> Verdicts:
    for at, message in _tool_messages(x):
        said = message.get("content")
        if isinstance(said, str):
            yield None
        elif not isinstance(said, list):
            yield Finding(f"{at}/content", "text, or blocks of text and documents", said)
        else:
            yield from (_block(f"{at}/content/{place}", obj(block)) for place, block in items(said))


def _block(at: str, block: Mapping[str, Json]) -> Finding | None:
    match block.get("type"):
        case "text":
            return holds(isinstance(block.get("text"), str), f"{at}/text", "text", block.get("text"))
        case "document":
            document = block.get("document")
            return holds("data" in obj(document), f"{at}/document", "a document with data", document)
    return Finding(f"{at}/type", ["text", "document"], block.get("type"))
