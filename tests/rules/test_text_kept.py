"""What was said is sent once: lost text and doubled text are both told."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.http import Request
from conformance.model import AssistantTurn, Conversation, UserTurn
from conformance.rules import find_rule
from conformance.rules.judge import judge
from conformance.transcript import Exchange

RULES = ("common.history.text-kept", "common.history.said-once")


def findings(turns: tuple[Any, ...], *contents: tuple[str, list[str]]) -> list[Any]:
    body = {
        "model": "m", "max_tokens": 9,
        "messages": [
            {"role": role, "content": [{"type": "text", "text": text} for text in texts]} for role, texts in contents
        ],
    }  # fmt: skip
    request = Request.post_json("https://api.anthropic.com/v1/messages", body)
    found = []
    for rule in filter(None, map(find_rule, RULES)):
        verdicts = judge(rule, Exchange("anthropic", "native", request=request, intent=Conversation(turns)))
        assert verdicts
        found += [one.expected for one in verdicts if one is not None]
    return found


HELLO = (UserTurn("Hello."), AssistantTurn("Hi."), UserTurn("Go on."))


@pytest.mark.parametrize(
    ("contents", "told"),
    [
        ([("user", ["Hello."]), ("assistant", ["Hi."]), ("user", ["Go on."])], 0),
        ([("user", ["Where we are.", "Hello."]), ("assistant", ["Hi."]), ("user", ["Go on."])], 0),
        ([("user", ["Hello.", "Hello."]), ("assistant", ["Hi."]), ("user", ["Go on."])], 1),
        ([("user", ["Hello."]), ("assistant", ["Hi.", "Hi."]), ("user", ["Go on."])], 1),
        ([("user", ["Hello."]), ("assistant", ["Hi."]), ("user", ["Something else."])], 1),
        ([("user", ["Hello."]), ("user", ["Hello."]), ("assistant", ["Hi."]), ("user", ["Go on."])], 1),
        ([("user", ["Hello."]), ("assistant", ["Hi."]), ("user", ["Hello.", "Go on."])], 1),
    ],
)
def test_each_text_is_sent_once(contents: list[tuple[str, list[str]]], told: int) -> None:
    assert len(findings(HELLO, *contents)) == told


def test_a_text_that_was_said_twice_is_sent_twice() -> None:
    assert findings((UserTurn("Yes."), UserTurn("Yes.")), ("user", ["Yes.", "Yes."])) == []
