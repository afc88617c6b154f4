"""Calls and results are found again, whatever happened to their ids and their order."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

import pytest

from conformance.http import Request
from conformance.model import AssistantTurn, Conversation, ResultsTurn, TextPart, ToolCall, ToolResult, UserTurn
from conformance.rules.shared.pairing import answers, calls_understood, correlate
from conformance.transcript import Exchange
from conformance.wires.facts import Facts, Round, SentCall, SentMessage, SentResult


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


ODD_IDS = ["a", "b", "", None, 1, True, ["a"], {"a": 1}]
ODD_NAMES = ["f", "g", None, 1, True, ["f"], {"f": [1]}]


def plainly(facts: Facts) -> tuple[dict[str, SentResult], set[str]]:
    """What `correlate` finds, said as simply as it can be, however long that takes."""
    spare, answered, guessed = list(facts.results), {}, set()

    def take(call: SentCall, fits: Callable[[SentResult], bool], among: list[SentResult]) -> SentResult | None:
        mine = (item for item in among if fits(item) and any(item is other for other in spare))
        found = None if call.at in answered else next(mine, None)
        if found is not None:
            answered[call.at] = found
            spare[:] = [item for item in spare if item is not found]
        return found

    for turn in (*facts.rounds, Round(facts.calls, facts.results)):
        for call in turn.calls:
            if isinstance(call.id, str) and call.id:
                take(call, lambda item: item.ref == call.id, [*turn.results, *turn.late])  # noqa: B023
    for turn in facts.rounds:
        ids = [call.id for call in turn.calls if isinstance(call.id, str) and call.id]
        for named in (True, False):
            for call in turn.calls:
                fits = lambda item: item.ref not in ids and (not named or item.name == call.name)  # noqa: B023, E731
                found = take(call, fits, [*turn.results, *turn.late])
                if found is not None and isinstance(found.ref, str) and found.ref:
                    guessed.add(call.at)
    return answered, guessed


def test_odd_requests_are_matched_as_plainly() -> None:
    chance = random.Random(7)
    for _ in range(2000):
        messages = []
        for number in range(chance.randrange(1, 6)):
            message = SentMessage(f"/{number}", chance.choice(["assistant", "tool", "user"]))
            for place in range(chance.randrange(4)):
                at, ref, name = f"/{number}/{place}", chance.choice(ODD_IDS), chance.choice(ODD_NAMES)
                if message.role == "assistant":
                    message.calls.append(SentCall(at, ref, name, {}, {}))
                else:
                    message.results.append(SentResult(at, ref, "x", "x", name))
            messages.append(message)
        facts = Facts(messages=messages)
        found = correlate(facts)
        answered, guessed = plainly(facts)
        assert {at: id(item) for at, item in found.answers.items()} == {at: id(item) for at, item in answered.items()}
        assert found.guessed == guessed


@pytest.mark.parametrize("ids", ["the same", "none", "wrong", "right"])
def test_ten_thousand_calls_in_one_turn_are_matched_at_once(ids: str) -> None:
    many = [SentCall(f"/0/{place}", _id(ids, place), "f", {}, {}) for place in range(10_000)]
    results = [SentResult(f"/1/{place}", _id(ids, place, "x"), "x", "x", "f") for place in reversed(range(10_000))]
    asks, answers_ = SentMessage("/0", "assistant", calls=many), SentMessage("/1", "tool", results=results)
    begun = time.process_time()
    assert len(correlate(Facts(messages=[asks, answers_])).answers) == 10_000
    assert time.process_time() - begun < 1.0


def _id(kind: str, place: int, more: str = "") -> str | None:
    return {"the same": "a", "none": None, "wrong": f"{place}{more}", "right": f"{place}"}[kind]


def test_a_thousand_exchanges_before_this_one_are_no_recursion() -> None:
    last = chat()
    for _ in range(5000):
        last = Exchange("openai-chat", previous=last)
    assert len(last.earlier) == 5000


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
