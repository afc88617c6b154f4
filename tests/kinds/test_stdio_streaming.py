"""Adapters in other languages are told of streams as they happen: news, and two streams beside each other."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from playing import play

from conformance.adapters import listening
from conformance.engine.cases import Selection

CHILD = Path(__file__).with_name("streaming_child.py")
NEWS = ("news-in-time", "news-true", "end-told")
RULES = tuple(f"common.stream.{name}" for name in (*NEWS, "stopping-ends-it", "unmoved-*"))
SCENARIOS = ("parallel_calls.text_beside_calls", "relations.tools_and_guidance")


def found(kind: str, wrong: str = "") -> tuple[set[str], dict[str, str]]:
    """The rules that examined something, and those that were broken, with what was found first."""
    selection = Selection(("ollama",), SCENARIOS, RULES, ("stream:per-event",))
    played = play(f"stdio:{sys.executable} {CHILD} {kind} '{wrong}'", selection)
    short = {rule.removeprefix("common.stream.") for _, rule in played.cells}
    broken = {rule.removeprefix("common.stream."): str(one[0].found) for rule, one in played.failures.items()}
    return short, broken


@pytest.mark.parametrize("kind", ["translator", pytest.param("client", marks=pytest.mark.slow)])
def test_who_tells_and_reads_two_streams_is_judged_and_conforms(kind: str) -> None:
    examined, broken = found(kind)
    assert examined >= {*NEWS, "unmoved-by-another-beside"}
    assert broken == {}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["translator", "client"])
def test_who_joins_the_stream_first_is_buffered(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "PATIENCE", 0.05)
    _, broken = found(kind, "buffers")
    assert broken["news-in-time"].startswith("buffered")


def test_who_mixes_two_streams_is_told() -> None:
    assert "unmoved-by-another-beside" in found("translator", "mixes")[1]


@pytest.mark.slow
def test_who_goes_on_when_nobody_listens_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "LEISURE", 0.05)
    assert "stopping-ends-it" in found("client", "goes on")[1]
