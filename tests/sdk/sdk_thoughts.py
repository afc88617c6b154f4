"""The model's thinking in an SDK's own objects: those that a shim hands back, in `AssistantTurn.opaque`."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from conformance.model import AssistantTurn


@dataclass(frozen=True, slots=True)
class Thoughts:
    """The text of the model's thinking, and the signatures or other seals that came with it."""

    text: str = ""
    seals: tuple[str, ...] = ()


def _chat(turn: AssistantTurn) -> Thoughts:
    """``reasoning_content``, which is no field of the SDK's type and is kept all the same."""
    return Thoughts((turn.opaque.message.model_extra or {}).get("reasoning_content") or "")


def _responses(turn: AssistantTurn) -> Thoughts:
    """The summaries of the reasoning items, and their encrypted content."""
    items = [item for item in turn.opaque.message if item.type == "reasoning"]
    return Thoughts(
        "".join(part.text for item in items for part in item.summary),
        tuple(item.encrypted_content for item in items),
    )


def _anthropic(turn: AssistantTurn) -> Thoughts:
    """The thinking blocks and their signatures."""
    blocks = [block for block in turn.opaque.message if block.type == "thinking"]
    return Thoughts("".join(block.thinking for block in blocks), tuple(block.signature for block in blocks))


def _gemini(turn: AssistantTurn) -> Thoughts:
    """The thought parts, and the signatures wherever they stand."""
    parts = turn.opaque.message.parts or []
    seals = [part.thought_signature for part in parts if part.thought_signature]
    return Thoughts(
        "".join(part.text or "" for part in parts if part.thought),
        tuple(base64.b64encode(seal).decode() for seal in seals),
    )


def _ollama(turn: AssistantTurn) -> Thoughts:
    """The message's thinking."""
    return Thoughts(turn.opaque.message.thinking or "")


def _cohere(turn: AssistantTurn) -> Thoughts:
    """The blocks of thinking."""
    return Thoughts("".join(block.thinking for block in turn.opaque.message.content or [] if block.type == "thinking"))


THOUGHTS: Mapping[str, Callable[[AssistantTurn], Thoughts]] = {
    "openai-chat": _chat,
    "azure": _chat,
    "xai": _chat,
    "deepseek": _chat,
    "mistral": _chat,
    "openai-responses": _responses,
    "anthropic": _anthropic,
    "gemini": _gemini,
    "ollama": _ollama,
    "cohere": _cohere,
}
"""How to find it, by provider."""
