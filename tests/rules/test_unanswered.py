"""Calls that the user passed over: each gets a result, or is left out, and both are right."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.adapters.bound import BoundTranslator
from conformance.adapters.reference import ReferenceAdapter
from conformance.deliveries import DELIVERIES
from conformance.model import (
    UNANSWERED,
    AssistantTurn,
    Conversation,
    Decision,
    DecisionsTurn,
    ResultsTurn,
    TextPart,
    ToolCall,
    ToolResult,
    Turn,
    UserTurn,
    result_text,
)
from conformance.responders import ScriptedResponder
from conformance.rules import catalogue
from conformance.rules.judge import judge
from conformance.scenarios import packaged_scenario
from conformance.session.play import Play
from conformance.session.seat import TranslatorSeat
from conformance.wires.unanswered import unanswered_calls, with_all_answered

A, B = ToolCall("a", "f"), ToolCall("b", "f")
ASKED = AssistantTurn(calls=(A, B))
FIRST = ResultsTurn((ToolResult("a", "f", (TextPart("one"),)),))
WAITING: tuple[tuple[Turn, ...], ...] = ((UserTurn("x"), ASKED), (UserTurn("x"), ASKED, FIRST))
PASSED_OVER: tuple[tuple[tuple[Turn, ...], list[str]], ...] = (
    ((UserTurn("x"), ASKED, UserTurn("y")), ["a", "b"]),
    ((UserTurn("x"), ASKED, FIRST, UserTurn("y")), ["b"]),
    ((UserTurn("x"), ASKED, DecisionsTurn((Decision("a", "f", accept=False),)), UserTurn("y")), ["b"]),
    ((UserTurn("x"), ASKED, DecisionsTurn((Decision("a", "f", accept=True),)), UserTurn("y")), ["a", "b"]),
    ((UserTurn("x"), ASKED, AssistantTurn("z")), ["a", "b"]),
)


def test_calls_are_passed_over_when_somebody_goes_on() -> None:
    for turns in WAITING:
        assert list(unanswered_calls(Conversation(turns))) == []
        assert with_all_answered(Conversation(turns)) == Conversation(turns)
    for turns, ids in PASSED_OVER:
        found = unanswered_calls(Conversation(turns))
        assert [(place, call.id) for place, call in found] == [(1, name) for name in ids]
        closed = with_all_answered(Conversation(turns))
        made = [one for turn in closed.turns if isinstance(turn, ResultsTurn) for one in turn.results]
        assert [one.call_id for one in made if result_text(one) == UNANSWERED and one.is_error] == ids
        assert not list(unanswered_calls(closed))


class LeavesOut(ReferenceAdapter):
    """Leaves out what nobody answered. ``also`` is how many other calls it leaves out with it."""

    def __init__(self, also: int = 0) -> None:
        super().__init__()
        self._also = also

    def closes(self, conversation: Conversation) -> Conversation:
        """The conversation without these calls, and without a turn that says nothing then."""
        gone = {call.id for _, call in unanswered_calls(conversation)}
        answered = [call.id for turn in conversation.turns if isinstance(turn, AssistantTurn) for call in turn.calls]
        gone |= set([call_id for call_id in answered if call_id not in gone][: self._also if gone else 0])
        turns = [_without(turn, gone) for turn in conversation.turns]
        said = (turn for turn in turns if turn not in (ResultsTurn(()), replace(ASKED, calls=())))
        return replace(conversation, turns=tuple(said))


def _without(turn: Turn, gone: set[str]) -> Turn:
    match turn:
        case AssistantTurn(calls=calls) if any(call.id in gone for call in calls):
            kept = tuple(call for call in calls if call.id not in gone)
            return AssistantTurn(turn.text, kept)
        case ResultsTurn(results):
            return ResultsTurn(tuple(result for result in results if result.call_id not in gone))
    return turn


@pytest.mark.slow
@pytest.mark.parametrize(("also", "expected"), [(0, set()), (1, {"common.history.calls-kept"})])
def test_leaving_out_is_right_but_only_what_nobody_answered(also: int, expected: set[str]) -> None:
    scenario, delivery = packaged_scenario("multi_turn.interrupted"), DELIVERIES["blocking"]
    for provider in ("openai-chat", "openai-responses", "anthropic", "gemini", "mistral"):
        seat = TranslatorSeat(BoundTranslator(LeavesOut(also), provider))
        exchanges = Play(scenario, provider, "native", delivery, seat, ScriptedResponder(scenario, provider)).run()
        rules = [rule for rule in catalogue().values() if provider in rule.providers and rule.side == "build"]
        found = {rule.id for rule in rules for one in exchanges if any(judge(rule, one))}
        assert found >= expected and (expected or not found), provider
