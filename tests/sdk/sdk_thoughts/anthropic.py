"""Messages: the thinking blocks and their signatures."""

from __future__ import annotations

from conformance.model import AssistantTurn
from sdk_thoughts import Thoughts


def thoughts(turn: AssistantTurn) -> Thoughts:
    blocks = [block for block in turn.opaque.message.content if block.type == "thinking"]
    return Thoughts("".join(block.thinking for block in blocks), tuple(block.signature for block in blocks))
