"""Responses: what the provider asks before it calls a server's tool, and what it is told."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.http import Request
from conformance.model import (
    AssistantTurn,
    Conversation,
    Decision,
    DecisionsTurn,
    Tool,
    ToolCall,
    UserTurn,
)
from conformance.rules import catalogue
from conformance.rules.check import Finding
from conformance.rules.judge import judge
from conformance.script import ScriptCall, ScriptTurn, Voice
from conformance.transcript import Exchange
from conformance.wires import wire
from conformance.wires.unanswered import unanswered_calls

Json = Any
WIRE = wire("openai-responses")
DICE = Tool("dice", kind="mcp", server="https://dice.example/mcp")
SERVER = {"type": "mcp", "server_label": "dice", "server_url": DICE.server, "require_approval": "always"}
GIVEN = {"name": "roll", "arguments": {"sides": 6}}
ASKS = {"type": "mcp_approval_request", "id": "mcpr_1", "server_label": "dice", "name": "roll",
        "arguments": '{"sides":6}'}  # fmt: skip
CALL = ToolCall("mcpr_1", "dice", GIVEN)
USER = {"role": "user", "content": "x"}


def talk(*decisions: tuple[str, bool]) -> Conversation:
    decided = DecisionsTurn(tuple(Decision(call_id, "dice", accept) for call_id, accept in decisions))
    return Conversation((UserTurn("x"), AssistantTurn(calls=(CALL,), stop="tool_calls"), decided), (DICE,))


def test_a_question_is_a_call_of_its_server() -> None:
    turn = WIRE.read({"status": "completed", "output": [ASKS]}, Conversation((), (DICE,)))
    assert turn.calls == (CALL,) and turn.stop == "tool_calls"
    (broken,) = WIRE.read({"output": [{**ASKS, "arguments": "{"}]}).calls
    assert broken.invalid and broken.arguments is None


@pytest.mark.parametrize("accept", [True, False])
def test_a_decision_is_told_and_nothing_else_is(accept: bool) -> None:
    body = WIRE.build(talk(("mcpr_1", accept)), stream=False).document
    assert body["tools"] == [SERVER]
    assert body["input"][1] == ASKS
    assert body["input"][2:] == [{"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": accept}]


def test_a_decision_answers_what_the_provider_runs() -> None:
    went_on = talk(("mcpr_1", True)).then(AssistantTurn("Seven."))
    assert list(unanswered_calls(went_on)) == []
    own = Conversation(went_on.turns, (Tool("dice"),))
    assert [call.id for _, call in unanswered_calls(own)] == ["mcpr_1"]


def test_a_stream_says_what_a_body_says_and_nothing_when_it_is_cut() -> None:
    voice, known = Voice("m", {}, "seed", {"dice": "mcp"}), Conversation((), (DICE,))
    says = ScriptTurn(calls=(ScriptCall("dice", GIVEN),))
    events = WIRE.render_stream(says, voice)
    whole, blocking = WIRE.finish(WIRE.assembled(events), known), WIRE.read(WIRE.render(says, voice), known)
    assert whole.calls == blocking.calls and whole.calls[0].arguments == GIVEN
    assert [call.id for call in whole.calls] == WIRE.ids(says, voice) == WIRE.answered_ids(WIRE.render(says, voice))
    (cut,) = WIRE.finish(WIRE.assembled(events[:3]), known).calls
    assert cut.invalid


def facts_of(*items: Json, **more: Json) -> int:
    return len(WIRE.facts(Request.post_json("https://api.openai.com/v1/responses", {"input": [*items], **more})).calls)


def test_a_question_counts_where_somebody_can_answer_it() -> None:
    answer = {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": True}
    assert facts_of(USER, ASKS, tools=[SERVER]) == facts_of(USER, ASKS, answer) == 1
    assert facts_of(USER, ASKS) == 0
    for broken in ({"id": []}, {"arguments": 3}, {"server_label": {}}, {"name": None}):
        assert facts_of(USER, {**ASKS, **broken}, {**answer, "approval_request_id": []}, tools=[SERVER]) == 1


def told(decided: bool, **answer: Json) -> list[Finding | None]:
    body = {"input": [USER, ASKS, {"type": "mcp_approval_response", **answer}], "tools": [SERVER]}
    request = Request.post_json("https://api.openai.com/v1/responses", body)
    intent = talk(("mcpr_1", decided))
    rule = catalogue()["responses.result.approval-as-decided"]
    return judge(rule, Exchange("openai-responses", intent=intent, request=request))


def test_what_is_approved_is_what_was_accepted() -> None:
    assert told(True, approval_request_id="mcpr_1", approve=True) == [None]
    for ref, approve in (("mcpr_1", True), ("mcpr_2", False)):
        (finding,) = told(False, approval_request_id=ref, approve=approve)
        assert finding is not None
