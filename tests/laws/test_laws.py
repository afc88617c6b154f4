"""Laws that hold for all conversations, searched by Hypothesis. What breaks one shrinks into a scenario file."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from laws import answer_law, request_law, stream_law
from neutral import conversation_of
from strategies import RULES, damaged, scenarios, tool_lists, turns, values

from conformance.http import Request, Response, frame
from conformance.model import AssistantTurn, Conversation, UserTurn
from conformance.scenario_files import write_scenario
from conformance.scenarios import AnswerStep, Scenario, ScenarioError, UserStep, load_scenarios
from conformance.script import QUIRKS, Voice
from conformance.wires import PROVIDERS, wire

FOUND = Path(__file__).parents[2] / ".hypothesis" / "scenarios"
"""Where counter-examples go: a folder of scenarios, as ``conformance run --scenarios`` takes it."""

settings.register_profile(
    "laws", derandomize=True, max_examples=40, database=None, deadline=None, suppress_health_check=list(HealthCheck)
)
settings.register_profile("laws-deep", settings.get_profile("laws"), derandomize=False, max_examples=2000)
law = settings.get_profile(os.environ.get("LAWS_PROFILE", "laws"))
"""The same few examples every time; ``LAWS_PROFILE=laws-deep`` looks long and elsewhere each time."""
few = settings(law, max_examples=law.max_examples // 2)
"""For what is slow."""


@contextmanager
def found(scenario: Scenario, name: str) -> Iterator[None]:
    """Write the scenario that breaks a law to a file. Hypothesis tries the smallest one last, so that one stays."""
    try:
        yield
    except Exception as broken:
        path = FOUND / "found" / f"{name}.yaml"
        try:
            write_scenario(scenario, path)
        except ScenarioError as problem:
            broken.add_note(f"no scenario file: {problem}")
        else:
            broken.add_note(f"The counter-example is {path}; play it: conformance run --scenarios {FOUND}")
        raise


distances = st.integers(0, 9999).map(lambda number: set(map(int, str(number)[-2:])))
"""How far apart, in the list of providers, the two of a pair stand."""


@pytest.mark.slow
@law
@given(scenarios(), distances)
def test_a_conversation_survives_two_wires(scenario: Scenario, steps: set[int]) -> None:
    with found(scenario, "request_law"):
        request_law(scenario, steps)


quirks = st.just(frozenset()) | st.sampled_from(sorted(QUIRKS)).map(lambda quirk: frozenset({quirk}))


@st.composite
def exchanges(draw: st.DrawFn, quirk: st.SearchStrategy[frozenset[str]]) -> Scenario:
    """A question and an answer of one turn, with a quirk perhaps."""
    declared = tuple(draw(tool_lists))
    turn = draw(turns(declared, quirk))
    labels = tuple(f"c{place}" for place in range(len(turn.calls)))
    like = next(iter(load_scenarios().values()))
    steps = (UserStep("?"), AnswerStep(turn, labels))
    empty = {"requires": frozenset[str](), "providers": None, "profile": None, "system": None, "history": ()}
    return replace(like, id="found.example", title="A turn", rules=RULES, tools=declared, steps=steps, **empty)


@law
@given(exchanges(st.sampled_from([frozenset(), frozenset(), frozenset({"missing_ids"})])), distances)
def test_an_answer_survives_two_wires(scenario: Scenario, steps: set[int]) -> None:
    with found(scenario, "answer_law"):
        answer_law(scenario, steps)


@pytest.mark.parametrize("name", ["parallel_calls.two_reads", "parallel_calls.one_fails", "multi_turn.follow_up"])
def test_every_pair_of_wires_carries_it(name: str) -> None:
    request_law(load_scenarios()[name], range(10))
    answer_law(load_scenarios()[name], range(10))


@pytest.mark.slow
@law
@given(exchanges(quirks), st.integers(0, 2**32))
def test_blocking_equals_stream_for_every_cut(scenario: Scenario, seed: int) -> None:
    with found(scenario, "stream_law"):
        stream_law(scenario, seed)


# --- what is found ----------------------------------------------------------------------------------------------------


def test_what_breaks_a_law_becomes_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "FOUND", tmp_path)

    @settings(law, max_examples=10, phases=(Phase.generate, Phase.shrink))
    @given(exchanges(st.just(frozenset())))
    def nobody_calls(scenario: Scenario) -> None:
        with found(scenario, "nobody_calls"):
            assert not any(turn.calls for turn in scenario.turns)

    with pytest.raises(AssertionError) as broken:
        nobody_calls()
    assert f"conformance run --scenarios {tmp_path}" in "".join(broken.value.__notes__)
    (scenario,) = load_scenarios(tmp_path).values()
    assert scenario.id == "found.nobody_calls"
    assert [len(turn.calls) for turn in scenario.turns] == [1], "Hypothesis made it small"


# --- nothing raises --------------------------------------------------------------------------------------------------


@few
@given(scenarios(), st.data())
def test_facts_never_raise(scenario: Scenario, data: st.DataObject) -> None:
    conversation = conversation_of(scenario)
    for provider in PROVIDERS:
        speaker = wire(provider)
        request = speaker.build(conversation, stream=True)
        body = json.dumps(data.draw(damaged(json.loads(request.body)))).encode()
        facts = speaker.facts(replace(request, body=body))
        assert list(facts.rounds) is not None and facts.calls is not None and facts.results is not None


anything = values.map(lambda value: json.dumps(value).encode()) | st.binary(max_size=40)


@law
@given(st.sampled_from(PROVIDERS), anything, st.sampled_from([200, 400, 429, 500]))
def test_anything_can_be_read(provider: str, body: bytes, status: int) -> None:
    speaker = wire(provider)
    assert isinstance(speaker.read_response(Response(status, {}, body)), AssistantTurn)
    assert isinstance(speaker.read_stream([body]), AssistantTurn)
    assert isinstance(speaker.read_stream([b"data: " + body + b"\n\n"]), AssistantTurn)
    assert speaker.facts(Request("POST", "https://example.com/", {}, body)) is not None


@pytest.mark.slow
@few
@given(exchanges(quirks), st.data())
def test_damaged_answers_can_be_read_and_continued(scenario: Scenario, data: st.DataObject) -> None:
    (turn,) = scenario.turns
    reader = Conversation((UserTurn("?"),), scenario.tools, profile="portable")
    voice = Voice("test-model", {}, "turn")
    for provider in PROVIDERS:
        speaker = wire(provider)
        body = json.dumps(data.draw(damaged(speaker.render(turn, voice)))).encode()
        _can_go_on(provider, reader, speaker.read_response(Response(200, {}, body), reader))
        events = speaker.render_stream(turn, voice)
        place = data.draw(st.integers(0, len(events) - 1))
        if events[place].data != "[DONE]":
            events[place] = replace(events[place], data=json.dumps(data.draw(damaged(json.loads(events[place].data)))))
        _can_go_on(provider, reader, speaker.read_stream(frame(events, speaker.card.framings[0]), reader))


def _can_go_on(provider: str, reader: Conversation, turn: AssistantTurn) -> None:
    """What was understood of damage can be sent back, whatever it is."""
    ids = [call.id for call in turn.calls]
    assert all(ids) and len(set(ids)) == len(ids), f"{provider}: {ids}"
    request = wire(provider).build(reader.then(turn, UserTurn("go on")), stream=False)
    assert wire(provider).facts(request).document is not None
