"""Chat Completions: ``reasoning_content``, which is no field of the SDK's type and is kept all the same."""

from __future__ import annotations

from conformance.model import AssistantTurn
from sdk_thoughts import Thoughts


def thoughts(turn: AssistantTurn) -> Thoughts:
    return Thoughts((turn.opaque.message.model_extra or {}).get("reasoning_content") or "")
