"""Two agents play one scenario: one asks the other, or hands over to it. Both of their conversations are judged."""

from __future__ import annotations

import pytest
from playing import Played, play

from conformance.adapters.libraries.way import AgentsMeet, Way
from conformance.engine import group_play
from conformance.engine.cases import Selection

pytestmark = pytest.mark.slow
TASKS = ("shell.success", "parallel_calls.two_reads")


def met(monkeypatch: pytest.MonkeyPatch, agent: str, meets: AgentsMeet, *providers: str) -> Played:
    """What two agents come to."""
    monkeypatch.setattr(group_play, "way_at", lambda address: Way("two", "two agents", meets=meets))
    asked = Selection(providers, TASKS, deliveries=("blocking", "stream:per-event"))
    return play(f"python:own_kinds:{agent}", asked)


@pytest.mark.parametrize(("agent", "meets"), [("AsksAnother", "asks"), ("HandsOver", "hands over")])
def test_right_agents_conform(monkeypatch: pytest.MonkeyPatch, agent: str, meets: AgentsMeet) -> None:
    played = met(monkeypatch, agent, meets, "openai-chat", "openai-responses", "anthropic", "gemini")
    assert played.failed == set()
    assert played.cells["openai-chat", "common.history.calls-kept"]["pass"] == 4


@pytest.mark.parametrize(
    ("agent", "meets", "rule"),
    [
        ("PassesOnSomethingElse", "asks", "common.history.text-kept"),
        ("QuotesTheAnswer", "asks", "common.result.string-not-double-encoded"),
        ("HandsOverTheTaskAlone", "hands over", "common.history.calls-kept"),
        ("NeverBegins", "asks", "common.adapter.completes"),
    ],
)
def test_wrong_agents_fail_the_rule_that_names_the_fault(
    monkeypatch: pytest.MonkeyPatch, agent: str, meets: AgentsMeet, rule: str
) -> None:
    assert rule in met(monkeypatch, agent, meets, "openai-chat").failed
