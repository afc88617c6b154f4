"""Lies about streams as they happen: broken events."""

from __future__ import annotations

from conformance.http import StreamEvent
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
