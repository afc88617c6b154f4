"""What the rules about streams compare, and what they leave to others."""

from __future__ import annotations

import pytest

from conformance.deliveries import DELIVERIES
from conformance.http import StreamEvent
from conformance.model import AssistantTurn, ToolCall
from conformance.rules import catalogue
from conformance.rules.judge import judge
from conformance.transcript import Exchange


@pytest.mark.parametrize(("delivery", "count"), [("stream:per-event", 1), ("blocking", 0)])
def test_a_stream_that_was_not_asked_for_has_nothing_to_be_like(delivery: str, count: int):
    """A library that always streams, and gives calls ids of its own: where it was asked not to, other rules say so."""
    offered = AssistantTurn(calls=(ToolCall("call_12345678", "git_status", {}),), stop="tool_calls")
    understood = AssistantTurn(calls=(ToolCall("minted", "git_status", {}),), stop="tool_calls")
    exchange = Exchange(
        "ollama", events=[StreamEvent("{}")], offered=offered, understood=understood, delivery=DELIVERIES[delivery]
    )
    rule = catalogue()["common.stream.equivalent-to-non-stream"]
    assert len([verdict for verdict in judge(rule, exchange) if verdict is not None]) == count
