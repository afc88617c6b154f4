"""What was said once is sent once, and what looks like it but is not is not charged."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.http import Request
from conformance.model import AssistantTurn, Conversation, ResultsTurn, TextPart, ToolCall, ToolResult, Turn, UserTurn
from conformance.rules import find_rule
from conformance.rules.judge import judge
from conformance.transcript import Exchange

CALL = ToolCall("call_1", "read_file", {"path": "a"})
SENT = {"id": "call_1", "type": "function", "function": {"name": "read_file", "arguments": '{"path":"a"}'}}


def told(conversation: Conversation, *messages: dict[str, Any]) -> list[tuple[str, Any]]:
    request = Request.post_json("https://api.openai.com/v1/chat/completions", {"model": "m", "messages": messages})
    rule = find_rule("common.history.said-once")
    assert rule is not None
    verdicts = judge(rule, Exchange("openai-chat", request=request, intent=conversation))
    return [(one.at, one.expected) for one in verdicts if one is not None]


def system(text: str) -> dict[str, Any]:
    return {"role": "system", "content": text}


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


HELLO = Conversation((UserTurn("Hello."),), system="Be brief.")


@pytest.mark.parametrize(
    ("messages", "found"),
    [
        ([system("Be brief."), user("Hello.")], []),
        ([user("Be brief.\n\nHello.")], []),
        ([system("Be brief.\nNever say: Be brief."), user("Hello.")], []),
        ([system("Be brief."), system("Be brief."), user("Hello.")], [("/messages/1", "this guidance once")]),
        ([system("Be brief.\n\nBe brief."), user("Hello.")], [("/messages/0", "this guidance once")]),
        ([system("Be brief."), user("Be brief.\n\nHello.")], [("/messages/1", "this guidance once")]),
    ],
)
def test_guidance(messages: list[dict[str, Any]], found: list[tuple[str, str]]) -> None:
    assert [(at.removesuffix("/content"), words) for at, words in told(HELLO, *messages)] == found


def test_what_a_tool_said_may_be_what_the_user_said() -> None:
    turns: tuple[Turn, ...] = (
        UserTurn("Hello."), AssistantTurn(calls=(CALL,)),
        ResultsTurn((ToolResult("call_1", "read_file", (TextPart("Hello."),)),)),
    )  # fmt: skip
    replay = {"role": "assistant", "content": None, "tool_calls": [SENT]}
    assert told(Conversation(turns), user("Hello."), replay, user("Hello.")) == []


@pytest.mark.parametrize(
    ("meant", "sent", "found"),
    [(1, 1, []), (2, 2, []), (1, 2, ["this call once"]), (2, 3, ["this call 2 times"]), (2, 1, [])],
)
def test_calls(meant: int, sent: int, found: list[str]) -> None:
    """Two calls may be alike."""
    conversation = Conversation((UserTurn("x"), AssistantTurn(calls=(CALL,) * meant)))
    replay = {"role": "assistant", "content": None, "tool_calls": [SENT] * sent}
    assert [words for _, words in told(conversation, user("x"), replay)] == found
