"""Responses: the summaries of the reasoning items, and their encrypted content."""

from __future__ import annotations

from conformance.model import AssistantTurn
from sdk_thoughts import Thoughts


def thoughts(turn: AssistantTurn) -> Thoughts:
    items = [item for item in turn.opaque.message if item.type == "reasoning"]
    return Thoughts(
        "".join(part.text for item in items for part in item.summary),
        tuple(item.encrypted_content for item in items),
    )
