"""Calls and results are found again, whatever happened to their ids and their order."""

from __future__ import annotations

from typing import Any

from conformance.http import Request
from conformance.model import AssistantTurn, Conversation, ResultsTurn, TextPart, ToolCall, ToolResult, UserTurn
from conformance.rules.shared.pairing import answers, calls_understood, correlate
from conformance.transcript import Exchange


def chat(*messages: dict[str, Any], intent: Conversation | None = None) -> Exchange:
    request = Request.post_json("https://api.openai.com/v1/chat/completions", {"messages": list(messages)})
    return Exchange("openai-chat", request=request, intent=intent)


def calls(*ids: str | None) -> dict[str, Any]:
    sent = [{"id": call_id, "type": "function", "function": {"name": "f", "arguments": "{}"}} for call_id in ids]
    return {"role": "assistant", "content": None, "tool_calls": sent}


def result(ref: str | None, text: str = "ok") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": ref, "content": text}


def asked(*ids: str) -> Conversation:
    results = tuple(ToolResult(call_id, "f", (TextPart(f"text of {call_id}"),)) for call_id in ids)
    turn = AssistantTurn(calls=tuple(ToolCall(call_id, "f") for call_id in ids), stop="tool_calls")
    return Conversation((UserTurn("x"), turn, ResultsTurn(results)))


def test_results_are_found_by_id_in_any_order() -> None:
    found = correlate(chat(calls("a", "b"), result("b", "B"), result("a", "A")).facts)
    assert [answer.text for answer in found.answers.values()] == ["A", "B"]
    assert not found.spare


def test_results_without_ids_are_found_by_order() -> None:
    found = correlate(chat(calls(None, None), result(None, "A"), result(None, "B")).facts)
    assert [answer.text for answer in found.answers.values()] == ["A", "B"]
    assert not found.guessed


def test_an_id_that_comes_again_in_a_later_round_means_the_later_call() -> None:
    found = correlate(chat(calls("a"), result("a", "1"), calls("a"), result("a", "2")).facts)
    assert [answer.text for answer in found.answers.values()] == ["1", "2"]


def test_a_wrong_id_is_a_guess_and_a_second_result_is_spare() -> None:
    found = correlate(chat(calls("a", "b"), result("x"), result("b"), result("b")).facts)
    assert found.guessed == {"/messages/0/tool_calls/0"}
    assert [spare.at for spare in found.spare] == ["/messages/3"]


def test_what_was_meant_is_found_under_other_ids() -> None:
    x = chat(calls("c1", "c2"), result("c1", "text of one"), result("c2", "text of two"), intent=asked("one", "two"))
    assert [(answer.meant.call_id, answer.sent and answer.sent.text) for answer in answers(x)] == [
        ("one", "text of one"),
        ("two", "text of two"),
    ]


def test_a_guess_answers_nothing_that_was_meant() -> None:
    assert answers(chat(calls("one"), result("x"), intent=asked("one"))) == []


def test_calls_are_recognised_by_id_or_else_by_what_they_say() -> None:
    one, two = ToolCall("a", "f", {"n": 1}), ToolCall("b", "f", {"n": 2})
    assert calls_understood([one, two], [two, one]) == [1, 0]
    assert calls_understood([one, two], [two]) == [None, 0]
    minted = [ToolCall("x", "f", {"n": 2}), ToolCall("y", "f", {"n": 1})]
    assert calls_understood([one, two], minted) == [1, 0]
    assert calls_understood([one, two], minted[:1]) == [None, None]
    three = ToolCall("c", "f", {"n": 3})
    assert calls_understood([one, two, three], [minted[0], minted[1], three]) == [1, 0, 2]  # one kept its id
    assert calls_understood([one, two, three], [three, minted[0]]) == [None, None, 0]
