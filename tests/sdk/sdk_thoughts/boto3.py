"""boto3: the blocks of thinking."""

from __future__ import annotations

from conformance.model import AssistantTurn
from sdk_thoughts import Thoughts


def thoughts(turn: AssistantTurn) -> Thoughts:
    blocks = [block["reasoningContent"] for block in turn.opaque.message if "reasoningContent" in block]
    said = [block["reasoningText"] for block in blocks if "reasoningText" in block]
    return Thoughts("".join(one["text"] for one in said), tuple(one["signature"] for one in said if "signature" in one))
