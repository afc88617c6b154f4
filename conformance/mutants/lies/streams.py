"""Lies about streams as they happen: broken events."""

from __future__ import annotations

from dataclasses import replace

from conformance.http import StreamEvent
from conformance.model import AssistantTurn, compact_json
from conformance.mutants.liar import Liar
from conformance.wires import PROVIDERS
from conformance.wires.base import is_damaged

SAID_ONCE = tuple(name for name in PROVIDERS if name != "openai-responses")
"""Where streams say things once. In Responses the last event says all of it again, and the rest is forgotten."""


class PassesOverDamage(Liar):
    """What is no JSON can be left out. The next event will be better."""

    aims = ("common.stream.damage-not-passed-over",)
    providers = SAID_ONCE

    def collects(self, events: list[StreamEvent]) -> list[StreamEvent]:
        return [event for event in events if not is_damaged(event)]


class TrustsNoCallOfACutStream(Liar):
    """When the stream breaks off, who knows what was whole."""

    aims = ("common.stream.ended-calls-whole",)

    def understands(self, turn: AssistantTurn) -> AssistantTurn:
        if turn.stop != "incomplete":
            return turn
        texts = [call.raw or compact_json(call.arguments) for call in turn.calls]
        calls = (
            replace(call, arguments=None, raw=text, invalid=True) for call, text in zip(turn.calls, texts, strict=True)
        )
        return replace(turn, calls=tuple(calls))
