"""Cohere: the blocks of thinking."""

from __future__ import annotations

from conformance.model import AssistantTurn
from sdk_thoughts import Thoughts


def thoughts(turn: AssistantTurn) -> Thoughts:
    blocks = turn.opaque.message.content or []
    return Thoughts("".join(block.thinking for block in blocks if block.type == "thinking"))
