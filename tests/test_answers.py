"""What our wires read in an answer is what the scenario said: the truth that adapters are compared with is true."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from every import every

from conformance.answers import Answer, answer_of_events, answer_of_response
from conformance.engine.cases import fits
from conformance.model import Conversation, Usage, kinds_of
from conformance.scenarios import Scenario, load_scenarios
from conformance.script import ScriptTurn, Voice
from conformance.wires import PROVIDERS, card, wire
from conformance.wires.gemini.provider import prompt_is_blocked
from conformance.wires.naming import wire_names

REFUSES_IN_TEXT = ("bedrock",)
"""Formats that have no place of its own for the words of a refusal."""


def scenarios_of(provider: str) -> dict[str, tuple[str, Scenario]]:
    return {
        scenario.id: (provider, scenario)
        for scenario in load_scenarios().values()
        if any(fits(scenario, provider, profile) for profile in ("portable", "native"))
    }


def spoken(provider: str, scenario: Scenario, place: int, says: ScriptTurn) -> list[Answer]:
    """The turn as the provider says it: blocking if it can be, and streamed."""
    speaker, names = wire(provider), wire_names(scenario.tools)
    voice = Voice("test-model", names, f"{scenario.id}/{place}", kinds_of(scenario.tools))
    reader = Conversation((), scenario.tools)
    streamed = answer_of_events(speaker, speaker.render_stream(says, voice), reader)
    if says.only_streams:
        return [streamed]
    return [answer_of_response(speaker, speaker.respond(says, voice), reader), streamed]


def arguments(says: ScriptTurn) -> list[Any]:
    return [call.arguments or {} if call.raw is None else None for call in says.calls]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_reading_gives_the_script(provider: str) -> None:
    every(scenarios_of(provider), reading_gives_the_script)


def reading_gives_the_script(provider: str, scenario: Scenario) -> None:
    speaker = wire(provider)
    for place, says in enumerate(scenario.answers):
        if not isinstance(says, ScriptTurn):
            continue
        voice = Voice("test-model", {}, f"{scenario.id}/{place}", kinds_of(scenario.tools))
        wire_ids = [own or "" for own in speaker.ids(says, voice)]
        for answer in spoken(provider, scenario, place, says):
            offered = answer.offered
            if says.cut:
                assert not answer.complete
                assert offered.stop == "incomplete"
                continue
            if says.fails_with:
                assert offered.error is not None
                assert offered.error.message == says.fails_with.message
                assert all(call.invalid for call in offered.calls)
                continue
            if says.stop == "error":
                assert offered.error is not None
                continue
            text = says.text + (says.refusal or "" if provider in REFUSES_IN_TEXT else "")
            assert offered.text == text
            assert [call.id for call in offered.calls] == wire_ids
            assert [call.name for call in offered.calls] == [call.tool for call in says.calls]
            for call, scripted in zip(offered.calls, arguments(says), strict=True):
                assert scripted is None or call.arguments == scripted
            assert says.refusal is None or says.refusal in (offered.refusal, offered.text) or offered.refusal == text
            blocked = provider == "gemini" and prompt_is_blocked(says)  # then nothing is counted but the prompt
            assert offered.usage == (Usage(says.usage.input_tokens, 0) if blocked else says.usage)
            if says.finish is None:
                assert offered.stop == says.stops_with


@pytest.mark.parametrize("provider", PROVIDERS)
def test_thinking_is_heard_while_the_stream_is_open(provider: str) -> None:
    every(scenarios_of(provider), thinking_is_heard)


def thinking_is_heard(provider: str, scenario: Scenario) -> None:
    speaker, names = wire(provider), wire_names(scenario.tools)
    for place, says in enumerate(scenario.answers):
        if isinstance(says, ScriptTurn) and says.reasoning and not says.cut and not says.fails_with:
            events = speaker.render_stream(says, Voice("test-model", names, f"{scenario.id}/{place}"))
            assert speaker.assemble(events).thinking == says.reasoning


def test_thinking_in_parts_of_the_text_is_heard_while_the_stream_is_open() -> None:
    speaker = wire("mistral")
    events = speaker.render_stream(ScriptTurn("Hello.", quirks=frozenset({"thinking_parts"})), Voice("m", {}, "a/0"))
    assembly = speaker.assemble(events)
    assert assembly.thinking and assembly.body["choices"][0]["message"]["content"] == "Hello."


# --- quirks ----------------------------------------------------------------------------------------------------------

ALWAYS_SO = {
    "usage_only_at_end", "calls_in_many_chunks", "empty_choices", "whole_deltas", "content_empty", "content_missing",
    "finish_stop",
}  # fmt: skip
"""Quirks that some provider shows in every answer: there they change nothing."""
OF_ERRORS = {"error_in_array", "wait_in_body"}
"""Quirks of HTTP errors: no turn has them."""


@pytest.mark.parametrize("provider", PROVIDERS)
def test_each_quirk_of_a_provider_is_shown(provider: str) -> None:
    """A quirk that changes nothing would be played by nobody, and every adapter would pass."""
    shown: set[str] = set()
    for name, (_, scenario) in scenarios_of(provider).items():
        voice = Voice("test-model", wire_names(scenario.tools), name)
        for says in (turn for turn in scenario.turns if turn.quirks - shown):
            plain = replace(says, changes=())
            shown |= {quirk for quirk in says.quirks if shows(provider, plain, quirk, voice)}
    assert card(provider).quirks - shown - OF_ERRORS <= ALWAYS_SO


def shows(provider: str, says: ScriptTurn, quirk: str, voice: Voice) -> bool:
    """Whether the provider says a turn otherwise without the quirk."""
    without, speaker = replace(says, quirks=says.quirks - {quirk}), wire(provider)
    if speaker.render_stream(says, voice) != speaker.render_stream(without, voice):
        return True
    return not says.only_streams and speaker.render(says, voice) != speaker.render(without, voice)
