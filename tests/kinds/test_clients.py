"""A client is judged by what it sends and by what it returns, however it reaches its endpoint."""

from __future__ import annotations

from collections import Counter

import pytest
from playing import Played, play

from conformance.engine.cases import Selection
from conformance.engine.group_play import LEFT_TO_CALLERS
from conformance.rules import catalogue
from conformance.wires import cards

DELIVERIES = ("blocking", "stream:per-event")
FORMATS = tuple(one.id for one in cards() if one.format == one.id)
"""Clients call hosts of another's format by the same code."""
FEW = ("parallel_calls.*", "errors.*", "quirks.*", "binary_image.*")


def own(name: str) -> str:
    """The address of one of our clients."""
    return f"python:own_kinds:{name}"


def without_news(played: Played) -> dict[tuple[str, str], Counter[str]]:
    """The cells of what was played, but for what only who tells news has, and what is not asked of clients."""
    asked = {name for name, rule in catalogue().items() if not rule.hears_news} - LEFT_TO_CALLERS
    return {place: cell for place, cell in played.cells.items() if place[1] in asked}


WAYS = {
    "httpx": ("ByHttpx", Selection(FORMATS, FEW, deliveries=DELIVERIES)),
    "httpx, byte by byte": ("ByHttpx", Selection(FORMATS, FEW[:1], deliveries=("stream:per-byte",))),
    "httpx2": ("ByHttpx2", Selection(FORMATS, FEW[:1], deliveries=(*DELIVERIES, "stream:per-byte"))),
    "httpx2, errors and quirks": ("ByHttpx2", Selection(("openai-chat",), FEW[1:], deliveries=DELIVERIES)),
    "loopback": ("OnLoopback", Selection(("openai-chat", "gemini", "ollama"), FEW[:2], deliveries=DELIVERIES)),
}


@pytest.mark.slow
@pytest.mark.parametrize(("client", "selection"), WAYS.values(), ids=WAYS)
def test_a_client_gets_the_matrix_of_the_same_logic_as_translator(client: str, selection: Selection) -> None:
    assert without_news(play(own(client), selection)) == without_news(play("reference", selection))


ONE = Selection(("openai-chat",), ("shell.success",), deliveries=("blocking", "stream:per-event"))


@pytest.mark.parametrize(
    ("client", "rule", "words"),
    [
        ("NeverCalls", "common.adapter.completes", "returned a turn without making a model call"),
        ("RaisesBefore", "common.adapter.completes", "complete raised ValueError: no such model"),
        ("RaisesAfter", "common.adapter.completes", "complete raised ValueError: cannot read this"),
    ],
)
def test_a_client_that_fails_is_told_why(client: str, rule: str, words: str) -> None:
    failures = play(own(client), ONE).failures[rule]
    assert words in str(failures[0].found)


def test_other_requests_and_second_tries_do_not_count() -> None:
    assert play(own("CallsTwice"), ONE).cells == play(own("ByHttpx"), ONE).cells


def test_a_client_that_does_not_stream_is_answered_as_it_asks() -> None:
    assert play(own("NeverStreams"), ONE).failed == {"common.http.stream-as-asked"}
