"""Anthropic's Messages format as an application writes and reads it, for libraries that speak it to every provider.

The reference wire writes and reads it, as it does for Anthropic itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from conformance.adapters.libraries.application import spoken, translated
from conformance.http import Response, StreamEvent, frame
from conformance.model import AssistantTurn, Conversation, Json, Turn, compact_json
from conformance.wires import wire
from conformance.wires.anthropic.client import OPAQUE

FORMAT = "anthropic"
UNSIGNED = "unsigned"


def asked_messages(provider: str, conversation: Conversation, *, stream: bool) -> dict[str, Any]:
    """The fields of a request."""
    if provider == "gemini":
        conversation = replace(conversation, profile="native")  # the portable one wants images as they are there
    if provider != FORMAT:
        conversation = replace(conversation, turns=tuple(map(_spoken, conversation.turns)))
    asked: dict[str, Any] = json.loads(wire(FORMAT).build(_marked(conversation), stream=stream).body)
    _unmark(asked["messages"])
    return asked


def heard_message(provider: str, document: Json, conversation: Conversation) -> AssistantTurn:
    """The turn that a message is."""
    return _heard(provider, wire(FORMAT).read_response(Response.of_json(200, document), conversation))


def heard_events(provider: str, events: Iterable[dict[str, Json]], conversation: Conversation) -> AssistantTurn:
    """The turn in the events of a stream."""
    framed = frame((StreamEvent(compact_json(event), str(event["type"])) for event in events), "sse")
    return heard_bytes(provider, framed, conversation)


def heard_bytes(provider: str, chunks: Iterable[bytes], conversation: Conversation) -> AssistantTurn:
    """The turn in the bytes of a stream."""
    return _heard(provider, wire(FORMAT).read_stream(chunks, conversation))


def _heard(provider: str, turn: AssistantTurn) -> AssistantTurn:
    return turn if provider == FORMAT else translated(turn)


def _spoken(turn: Turn) -> Turn:
    """A turn, with the words of another provider's model that refused as a text. The wire leaves such a turn out, as
    Anthropic wants it; others know it."""
    if isinstance(turn, AssistantTurn) and turn.opaque is None and turn.refusal:
        return replace(turn, text=spoken(turn), refusal=None, stop="end")
    return turn


def _marked(conversation: Conversation) -> Conversation:
    """The conversation, with a mark for a signature in a library's own thinking that has none.

    The wire leaves such blocks out, because Anthropic refuses them. The library gets back what it gave.
    """
    turns = (
        replace(turn, opaque={**turn.opaque, OPAQUE: list(map(_signed, turn.opaque[OPAQUE]))})
        if isinstance(turn, AssistantTurn) and isinstance(turn.opaque, dict) and OPAQUE in turn.opaque
        else turn
        for turn in conversation.turns
    )
    return replace(conversation, turns=tuple(turns))


def _signed(block: dict[str, Json]) -> dict[str, Json]:
    return {**block, "signature": UNSIGNED} if block.get("type") == "thinking" and not block.get("signature") else block


def _unmark(messages: list[dict[str, Json]]) -> None:
    for message in messages:
        for block in message["content"] if isinstance(message["content"], list) else ():
            if block.get("signature") == UNSIGNED:
                block["signature"] = ""
