"""Texts that are looked for all at once: the same are found as one by one."""

from __future__ import annotations

import random

import pytest

from conformance.model import AssistantTurn, Conversation
from conformance.rules.shared import many_texts
from conformance.rules.shared.many_texts import ManyTexts
from conformance.transcript import Exchange, once


def test_the_same_are_found_as_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many_texts, "QUICK", -1)
    drawn = random.Random(7)

    def text(letters: str, most: int) -> str:
        return "".join(drawn.choice(letters) for _ in range(drawn.randrange(most)))

    for _ in range(300):
        letters, most = drawn.choice(["a", "ab", "abcä"]), drawn.choice([4, 12, 90, 300])
        texts = [text(letters, most) for _ in range(drawn.randrange(10))]
        said = [text(letters, 2 * most) for _ in range(drawn.randrange(4))]
        expected = {
            one: next(number for number, other in enumerate(said) if one in other)
            for one in texts
            if one and any(one in other for other in said)
        }
        assert ManyTexts(texts).found_in(said) == expected


def test_an_exchange_is_looked_at_again_when_something_is_entered() -> None:
    asked: list[Exchange] = []

    @once
    def text(x: Exchange) -> str:
        asked.append(x)
        return x.turn.text if x.turn is not None else ""

    exchange = Exchange("anthropic", intent=Conversation(()))
    assert (text(exchange), text(exchange), len(asked)) == ("", "", 1)
    exchange.understood = AssistantTurn("Yes.")
    assert (text(exchange), text(exchange), len(asked)) == ("Yes.", "Yes.", 2)
    other = exchange.alike()
    other.understood = AssistantTurn("No.")
    assert (text(other), text(exchange), len(asked)) == ("No.", "Yes.", 3)
