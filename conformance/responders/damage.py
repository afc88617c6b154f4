"""A stream in which one event arrives broken: half of its JSON is missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from conformance.http import StreamEvent
from conformance.model import AssistantTurn, Json
from conformance.wires.base import Wire


def damaged(speaker: Wire, events: Sequence[StreamEvent]) -> list[StreamEvent]:
    """``events`` with one that is cut in half: the one that is missed least by who passes it over.

    Best is an event without which the turn still looks whole and says something else. Where the stream says everything
    twice there is none, and it is the one in the middle.
    """
    places = list(_telling(speaker, events))
    place = places[len(places) // 2] if places else (len(events) - 1) // 2
    event = events[place]
    return [*events[:place], replace(event, data=event.data[: len(event.data) // 2]), *events[place + 1 :]]


def _telling(speaker: Wire, events: Sequence[StreamEvent]) -> Iterator[int]:
    """The events whose loss changes what is said, but leaves nothing that is invalid or unfinished."""
    said = _said(speaker.finish(speaker.assembled(events)))
    for place in range(len(events) - 1):
        left = speaker.finish(speaker.assembled([*events[:place], *events[place + 1 :]]))
        looks_whole = left.stop not in ("incomplete", "error") and not any(call.invalid for call in left.calls)
        if looks_whole and _said(left) != said:
            yield place


def _said(turn: AssistantTurn) -> Json:
    return [turn.text, *([call.name, call.arguments] for call in turn.calls)]
