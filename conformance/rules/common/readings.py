"""A whole answer beside what an adapter read of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from conformance.model import AssistantTurn, ToolCall
from conformance.rules.shared.pairing import calls_understood
from conformance.transcript import Exchange, once


@dataclass(frozen=True, slots=True)
class AnswerReading:
    """A whole answer and what was read of it. ``calls`` are (offered, read or ``None``, pointer of the one read)."""

    offered: AssistantTurn
    read: AssistantTurn
    calls: Sequence[tuple[ToolCall, ToolCall | None, str]]


@once
def reading_of(x: Exchange) -> AnswerReading | None:
    read, offered = x.parsed, x.offered
    if read is None or offered is None or offered.error is not None:
        return None
    places = calls_understood(offered.calls, read.calls)
    calls = [
        (call, None, "/calls") if place is None else (call, read.calls[place], f"/calls/{place}")
        for call, place in zip(offered.calls, places, strict=True)
    ]
    return AnswerReading(offered, read, calls)


def calls_read(x: Exchange) -> Sequence[tuple[ToolCall, ToolCall | None, str]]:
    reading = reading_of(x)
    return reading.calls if reading is not None else []
