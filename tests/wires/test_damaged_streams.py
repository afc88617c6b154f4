"""A damaged event is never passed over in silence: what it said is lost."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.http import StreamEvent, frame
from conformance.scenarios import load_scenarios
from conformance.script import ScriptTurn, Voice
from conformance.wires import PROVIDERS, card, wire

SCENARIO = load_scenarios()["shell.success"]
TURN = SCENARIO.answers[0]
VOICE = Voice("m", {tool.name: tool.name for tool in SCENARIO.tools}, "x")


def stream(provider: str) -> list[StreamEvent]:
    assert isinstance(TURN, ScriptTurn)
    return wire(provider).render_stream(TURN, VOICE)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_damaged_event_is_told_wherever_it_stands(provider: str) -> None:
    speaker, events = wire(provider), stream(provider)
    for place, event in enumerate(events[:-1]):  # half of the last one is a stream that was cut off
        if not event.data.startswith("{"):
            continue
        damaged = [*events[:place], replace(event, data=event.data[:-1]), *events[place + 1 :]]
        turn = speaker.read_stream(frame(damaged, card(provider).framings[0]))
        assert turn.stop == "incomplete", place
        assert all(call.invalid for call in turn.calls), place


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("data", ["", "[DONE]", "{}"])
def test_a_marker_is_no_damage(provider: str, data: str) -> None:
    speaker, events = wire(provider), stream(provider)
    assert not speaker.assembled([StreamEvent(data), *events]).damaged


def test_a_failure_that_the_provider_reports_is_told_rather() -> None:
    error = StreamEvent('{"error":{"message":"Overloaded","type":"server_error"}}')
    assembly = wire("openai-chat").assembled([StreamEvent("{"), error, StreamEvent("{}")])
    assert assembly.error is not None and assembly.error.message == "Overloaded"
    assert wire("openai-chat").finish(assembly).stop == "error"
