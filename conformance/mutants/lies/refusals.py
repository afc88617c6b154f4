"""Lies about refusals."""

from __future__ import annotations

from dataclasses import replace

from conformance.model import AssistantTurn, Conversation
from conformance.mutants.liar import Liar


class ForgetsRefusals(Liar):
    """What the model would not do is no use to it later."""

    aims = ("common.history.refusal-kept",)

    def means(self, conversation: Conversation) -> Conversation:
        turns = (
            replace(turn, refusal=None, opaque=None) if isinstance(turn, AssistantTurn) and turn.refusal else turn
            for turn in conversation.turns
        )
        return replace(conversation, turns=tuple(turns))


class RefusesInItsOwnWords(Liar):
    """Users need not know why."""

    aims = ("anthropic.parse.refusal-explained", "gemini.parse.finish-message")

    def understands(self, turn: AssistantTurn) -> AssistantTurn:
        return replace(turn, refusal="The model refused.") if turn.refusal is not None else turn
