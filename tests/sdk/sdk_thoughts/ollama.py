"""Ollama: the message's thinking."""

from __future__ import annotations

from conformance.model import AssistantTurn
from sdk_thoughts import Thoughts


def thoughts(turn: AssistantTurn) -> Thoughts:
    return Thoughts(turn.opaque.message.thinking or "")
