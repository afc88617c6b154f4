"""The grammars of streams: what our wires say is legal, and what is broken is not."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from every import each, every

from conformance.engine.cases import fits
from conformance.http import StreamEvent
from conformance.model import kinds_of
from conformance.rules import catalogue
from conformance.scenarios import Scenario, load_scenarios
from conformance.script import QUIRKS, ScriptCall, ScriptTurn, Voice
from conformance.traffic.lenient import LIBERTIES
from conformance.wires import PROVIDERS, card, wire
from conformance.wires.grammar import START, StreamVerdict, follow_events
from conformance.wires.naming import wire_names

Events = list[StreamEvent]

GRAMMARS = [provider for provider in PROVIDERS if wire(provider).grammar is not None]
"""The providers that stream in a format of record."""


def follow_stream(provider: str, events: Events, liberties: frozenset[str] = frozenset()) -> StreamVerdict:
    """The events, followed to their end or their first violation."""
    grammar = wire(provider).grammar
    assert grammar is not None
    return follow_events(grammar.with_liberties(liberties), events)


def scenarios_of(provider: str) -> dict[str, tuple[str, Scenario]]:
    return {
        scenario.id: (provider, scenario)
        for scenario in load_scenarios().values()
        if any(fits(scenario, provider, profile) for profile in ("portable", "native"))
    }


def said(provider: str, scenario: Scenario, place: int, turn: ScriptTurn) -> Events:
    names, kinds = wire_names(scenario.tools), kinds_of(scenario.tools)
    voice = Voice("test-model", names, f"{scenario.id}/{place}", kinds)
    return wire(provider).render_stream(turn, voice)


@pytest.mark.parametrize("provider", GRAMMARS)
def test_what_the_wires_say_is_legal_unless_it_is_cut(provider: str) -> None:
    every(scenarios_of(provider), legal_unless_it_is_cut)


def legal_unless_it_is_cut(provider: str, scenario: Scenario) -> None:
    for place, turn in enumerate(scenario.answers):
        if isinstance(turn, ScriptTurn):
            liberties = turn.quirks | card(provider).stream_liberties
            followed = follow_stream(provider, said(provider, scenario, place, turn), liberties)
            assert followed is not None
            assert (followed.violation is not None) == (turn.cut is not None), followed.violation


# --- breaking streams ------------------------------------------------------------------------------------------------

TURN = ScriptTurn(
    "Let me look.", (ScriptCall("read_file", {"path": "/a"}), ScriptCall("read_file", {"path": "/b"})),
    reasoning="I should.",
)  # fmt: skip


def legal(provider: str, turn: ScriptTurn = TURN) -> Events:
    return wire(provider).render_stream(turn, Voice("test-model", {"read_file": "read_file"}, "seed"))


def broken(provider: str, events: Events, *liberties: str) -> Any:
    followed = follow_stream(provider, events, frozenset(liberties) | card(provider).stream_liberties)
    assert followed is not None
    return followed.violation


@pytest.mark.parametrize("provider", GRAMMARS)
def test_the_turn_itself_is_legal(provider: str) -> None:
    assert broken(provider, legal(provider)) is None


MUTATIONS: dict[str, Callable[[Events], Events]] = {
    "no end": lambda events: events[:-1],
    "half": lambda events: events[: len(events) // 2],
    "backwards": lambda events: events[::-1],
    "nothing": lambda events: [],
    "more after the end": lambda events: [*events, events[0]],
    "end before the last word": lambda events: [*events[:-2], events[-1], events[-2]],
    "garbage": lambda events: [events[0], StreamEvent("garbage"), *events[1:]],
    "an event twice": lambda events: [*events, events[-1]],
}


@each("mutation", MUTATIONS)
@each("provider", GRAMMARS)
def test_broken_streams(provider: str, mutation: str) -> None:
    assert broken(provider, MUTATIONS[mutation](legal(provider))) is not None


STARTED = ("openai-chat", "xai", "deepseek", "mistral", "openai-responses", "anthropic", "unified")
"""The providers whose streams have a start that cannot be missing."""


@pytest.mark.parametrize("provider", STARTED)
def test_a_stream_without_its_start(provider: str) -> None:
    assert broken(provider, legal(provider)[1:]) is not None


INDEXES = {"openai-responses": "output_index", "anthropic": "index", "openai-chat": "index", "azure": "index",
           "xai": "index", "deepseek": "index", "mistral": "index", "unified": "index"}  # fmt: skip


@pytest.mark.parametrize("provider", INDEXES)
def test_wrong_numbers(provider: str) -> None:
    """Of every event with a number, in turn: one more than it should be."""
    events, tried = legal(provider), 0
    for place, event in enumerate(events):
        document = json.loads(event.data) if event.data != "[DONE]" else {}
        for holder in _numbered(provider, document):
            holder[INDEXES[provider]] += 1
            changed = StreamEvent(json.dumps(document), event.event)
            holder[INDEXES[provider]] -= 1
            assert broken(provider, [*events[:place], changed, *events[place + 1 :]]) is not None, event
            tried += 1
    assert tried >= 2


def _numbered(provider: str, document: Any) -> list[Any]:
    if provider in ("openai-responses", "anthropic", "unified"):
        return [document] if isinstance(document.get(INDEXES[provider]), int) else []
    deltas = [choice.get("delta", {}) for choice in document.get("choices", [])]
    return [call for delta in deltas for call in delta.get("tool_calls") or () if isinstance(call.get("index"), int)]


@pytest.mark.parametrize("provider", ["openai-responses", "anthropic", "unified"])
def test_every_single_event_is_needed(provider: str) -> None:
    """Except those that only add to what is open: one delta of many."""
    events = legal(provider)
    for place, event in enumerate(events):
        if "delta" not in str(event.event) or event.event == "message_delta":
            lacking = [*events[:place], *events[place + 1 :]]
            optional = event.event in ("ping", "response.in_progress")
            assert optional or broken(provider, lacking) is not None, event


def test_places_and_words() -> None:
    events = legal("anthropic")
    found = broken("anthropic", events[:-2] + events[-1:])
    assert found.rule == "anthropic.stream.event-grammar"
    assert found.at == f"/{len(events) - 2}/type"
    assert found.expected == ["another", "content_block_start", "error", "message_delta", "ping"]
    assert found.found == "message_stop"


def test_fragments_before_their_call() -> None:
    events = legal("openai-chat")
    first = next(place for place, event in enumerate(events) if '"name"' in event.data)
    found = broken("openai-chat", [*events[:first], *events[first + 1 :]])
    assert (found.rule, found.found) == ("chat.stream.accumulate-by-index", "adds")


def test_an_error_ends_a_stream_with_all_that_is_open() -> None:
    for provider, error in {
        "openai-chat": {"error": {"message": "no"}},
        "openai-responses": {"type": "error", "message": "no"},
        "anthropic": {"type": "error", "error": {"type": "overloaded_error", "message": "no"}},
        "gemini": {"error": {"code": 503, "message": "no"}},
        "ollama": {"error": "no"},
    }.items():
        events = legal(provider)
        name = "error" if provider in ("openai-responses", "anthropic") else None
        failed = [*events[: len(events) // 2], StreamEvent(json.dumps(error), name)]
        assert broken(provider, failed) is None, provider
        assert broken(provider, [*failed, events[-2]]) is not None, provider


# --- the tables themselves -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("provider", GRAMMARS)
def test_tables_are_whole(provider: str) -> None:
    """Every state that can be reached has a row, every row can be reached, and from each an end can be reached."""
    grammar = wire(provider).grammar
    assert grammar is not None
    for level in grammar.with_liberties(LIBERTIES).levels:
        reached, pending = set(), [START]
        while pending:
            state = pending.pop()
            if state not in reached:
                reached.add(state)
                pending += level.table.get(state, {}).values()
        assert reached == set(level.table) | level.ends, level.name
        for state in reached:
            assert state in level.ends or level.ends & _from(level.table, state), (level.name, state)


def _from(table: Any, state: str) -> set[str]:
    reached: set[str] = set()
    pending = list(table[state].values())
    while pending:
        current = pending.pop()
        if current not in reached:
            reached.add(current)
            pending += table.get(current, {}).values()
    return reached


@pytest.mark.parametrize("provider", GRAMMARS)
def test_rules_exist_and_speak_of_the_provider(provider: str) -> None:
    assert len(wire(provider).answer_rules) > 1
    assert all(provider in catalogue()[rule].providers for rule in wire(provider).answer_rules)


def test_liberties_that_quirks_share_their_names_with_are_what_they_say() -> None:
    assert LIBERTIES & QUIRKS.keys() == {
        "changing_ids", "choice_without_delta", "empty_ids", "id_repeated_in_deltas", "index_zero", "missing_ids",
        "missing_index", "no_deltas", "no_finish",
    }  # fmt: skip
