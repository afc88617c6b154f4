"""Lies about an answer that is to be JSON of a schema."""

from __future__ import annotations

from dataclasses import replace

from conformance.model import AssistantTurn, Conversation, Parsed
from conformance.mutants.liar import Liar


class AsksForNoJson(Liar):
    """With tools about, the last words may as well be prose."""

    aims = ("common.choose.output-as-asked",)

    def means(self, conversation: Conversation) -> Conversation:
        return replace(conversation, output=None) if conversation.tools else conversation


class AsksForAnyJson(Liar):
    """JSON is JSON, whatever is in it."""

    aims = ("common.choose.output-as-asked",)

    def means(self, conversation: Conversation) -> Conversation:
        return replace(conversation, output={"type": "object"}) if conversation.output else conversation


class MakesNothingOfIt(Liar):
    """After a call of a tool nobody waits for JSON any more."""

    aims = ("common.parse.output-as-meant",)

    def understands(self, turn: AssistantTurn) -> AssistantTurn:
        return replace(turn, parsed=Parsed(None)) if turn.parsed is not None else turn


class MakesTextsOfIt(Liar):
    """A number is a text with digits."""

    aims = ("common.parse.output-as-meant",)

    def understands(self, turn: AssistantTurn) -> AssistantTurn:
        if turn.parsed is None or not isinstance(turn.parsed.value, dict):
            return turn
        return replace(turn, parsed=Parsed({name: str(value) for name, value in turn.parsed.value.items()}))
