"""Lies about what was said once and is sent twice."""

from __future__ import annotations

from dataclasses import replace

from conformance.model import AssistantTurn, Conversation, UserTurn
from conformance.mutants.liar import Liar


class RepeatsTheUser(Liar):
    """A question that is asked twice is answered sooner."""

    aims = ("common.history.said-once",)

    def means(self, conversation: Conversation) -> Conversation:
        turns = (turn for one in conversation.turns for turn in ((one, one) if isinstance(one, UserTurn) else (one,)))
        return replace(conversation, turns=tuple(turns))


class BeginsAgain(Liar):
    """To remind the model, what the user said first comes at the end once more."""

    aims = ("common.history.said-once",)

    def means(self, conversation: Conversation) -> Conversation:
        first, last = conversation.turns[0], conversation.turns[-1]
        if len(conversation.turns) < 3 or not isinstance(first, UserTurn) or not isinstance(last, UserTurn):
            return conversation
        return replace(conversation, turns=(*conversation.turns[:-1], UserTurn(f"{first.text}\n\n{last.text}")))


class RepeatsTheModel(Liar):
    """What the model said stands in its message and in the parts of its message."""

    aims = ("common.history.said-once",)

    def means(self, conversation: Conversation) -> Conversation:
        turns = (
            replace(turn, text=f"{turn.text}\n{turn.text}", opaque=None)
            if isinstance(turn, AssistantTurn) and turn.text and not conversation.reasoning
            else turn
            for turn in conversation.turns
        )
        return replace(conversation, turns=tuple(turns))


class RepeatsTheGuidance(Liar):
    """The guidance is given by the agent and by its template."""

    aims = ("common.history.said-once",)

    def means(self, conversation: Conversation) -> Conversation:
        return replace(conversation, system=conversation.system and f"{conversation.system}\n\n{conversation.system}")


class ReplaysCallsTwice(Liar):
    """Calls are kept in the message and in the log, and the request is made of both."""

    aims = ("common.history.said-once",)

    def means(self, conversation: Conversation) -> Conversation:
        turns = (
            replace(turn, calls=tuple(call for one in turn.calls for call in (one, one)), opaque=None)
            if isinstance(turn, AssistantTurn) and not conversation.reasoning
            else turn
            for turn in conversation.turns
        )
        return replace(conversation, turns=tuple(turns))


class RepeatsTheTools(Liar):
    """Tools come from the agent and from its plug-ins. Some come from both."""

    aims = ("common.naming.no-collision",)

    def means(self, conversation: Conversation) -> Conversation:
        return replace(conversation, tools=tuple(tool for one in conversation.tools for tool in (one, one)))
