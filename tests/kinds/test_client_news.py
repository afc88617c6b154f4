"""What clients tell while the stream of their call is open, and how they are judged by it."""

from __future__ import annotations

import pytest
from playing import play

from conformance.adapters import listening
from conformance.adapters.addresses import find_adapter
from conformance.engine.cases import Group, Selection
from conformance.engine.group_play import GroupPlay
from conformance.engine.report import RuleReport
from conformance.matrix import Cell
from conformance.rules import catalogue
from conformance.scenarios import load_scenarios

NEWS = ("common.stream.news-*", "common.stream.end-told", "common.stream.stopping-ends-it")
TALK, THOUGHT = "parallel_calls.text_beside_calls", "reasoning.text_and_call"


def failed(client: str, provider: str = "openai-chat", scenario: str = TALK) -> dict[str, str]:
    """The rules that a client breaks, each with what was found first."""
    selection = Selection((provider,), (scenario,), NEWS, ("stream:per-event",))
    played = play(f"python:telling_clients:{client}", selection)
    assert {rule for _, rule in played.cells} >= {"common.stream.news-in-time"}
    return {rule.removeprefix("common.stream."): str(one[0].found) for rule, one in played.failures.items()}


def reported(client: str) -> RuleReport:
    """What the rule on time says of a client in one case."""
    found, name = find_adapter(f"python:telling_clients:{client}"), "common.stream.news-in-time"
    scenario, rule = load_scenarios()["parallel_calls.text_beside_calls"], catalogue()[name]
    group = Group(found.address, "openai-chat", scenario.id, ("stream:per-event",))
    return GroupPlay(found, group, scenario, Selection(), [rule]).case("stream:per-event").rules[name]


@pytest.mark.slow
@pytest.mark.parametrize("client", ["Tells", "TellsOnLoopback", "TellsFromAnotherThread", "TellsOnALoop"])
@pytest.mark.parametrize("provider", ["openai-chat", "gemini"])
def test_who_tells_in_time_conforms(client: str, provider: str) -> None:
    assert failed(client, provider) == {}


@pytest.mark.slow
@pytest.mark.parametrize("client", ["TellsFromAnotherThread", "TellsLetterByLetter", "KeepsItsThoughts"])
def test_thinking_is_told_in_time_or_not_at_all(client: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "PATIENCE", 0.05 if client == "KeepsItsThoughts" else listening.PATIENCE)
    assert failed(client, "anthropic", THOUGHT) == {}


def test_thinking_that_is_told_late_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "PATIENCE", 0.05)
    found = failed("ThinksAfterwards", "anthropic", THOUGHT)
    assert found.keys() == {"news-in-time"} and "buffered" not in found["news-in-time"]


@pytest.mark.parametrize("client", ["Buffers", "BuffersInAnotherThread"])
def test_who_joins_the_stream_first_is_buffered(client: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "PATIENCE", 0.05)
    found = failed(client)
    assert found.keys() == {"news-in-time"} and found["news-in-time"].startswith("buffered: ")


def test_who_looks_ahead_is_late_and_not_buffered() -> None:
    found = failed("LooksAhead")
    assert found.keys() == {"news-in-time"} and "buffered" not in found["news-in-time"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("client", "rules"),
    [("NeverEnds", {"end-told"}), ("EndsTooSoon", {"news-in-time", "news-true"}), ("StaysOpen", {"stopping-ends-it"})],
)
def test_who_does_it_wrongly_is_told(client: str, rules: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "LEISURE", 0.05)
    assert failed(client).keys() == rules


def test_the_matrix_says_who_is_buffered() -> None:
    words = {}
    for client in ("Buffers", "LooksAhead", "Tells"):
        cell = Cell(client, "openai-chat", catalogue()["common.stream.news-in-time"])
        report = reported(client)
        cell.enter("parallel_calls.text_beside_calls/stream:per-event", report, [("", True)] * len(report.failures))
        words[client] = (cell.outcome, cell.word)
    assert words == {"Buffers": ("warn", "buffered"), "LooksAhead": ("warn", None), "Tells": ("pass", None)}
