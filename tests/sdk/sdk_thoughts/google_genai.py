"""generateContent: the thought parts, and the signatures wherever they stand."""

from __future__ import annotations

import base64

from conformance.model import AssistantTurn
from sdk_thoughts import Thoughts


def thoughts(turn: AssistantTurn) -> Thoughts:
    parts = turn.opaque.message.parts or []
    seals = [part.thought_signature for part in parts if part.thought_signature]
    return Thoughts(
        "".join(part.text or "" for part in parts if part.thought),
        tuple(base64.b64encode(seal).decode() for seal in seals),
    )
