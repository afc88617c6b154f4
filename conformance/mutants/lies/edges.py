"""Lies about the edges of texts."""

from __future__ import annotations

from dataclasses import replace

from conformance.model import Conversation, UserTurn
from conformance.mutants.liar import Liar


class StripsTheUser(Liar):
    """White space around a question is no part of it."""

    aims = ("common.history.edges-kept",)

    def means(self, conversation: Conversation) -> Conversation:
        turns = (
            replace(turn, text=turn.text.strip()) if isinstance(turn, UserTurn) else turn for turn in conversation.turns
        )
        return replace(conversation, turns=tuple(turns))
