"""Each declared loss is real, and real for exactly the providers that it names."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

import pytest
from answer_forms import ANSWER_FORMS
from forms import REQUEST_FORMS
from laws import carried, understood
from neutral import conversation_of

from conformance.model import ImagePart, JsonPart, Part, TextPart, Tool, ToolChoice
from conformance.rules import catalogue
from conformance.rules.losses import losses, losses_of
from conformance.scenarios import AnswerStep, DecisionsStep, ResultsStep, Scenario, ScriptResult, Step, UserStep
from conformance.script import ScriptCall, ScriptTurn
from conformance.wires import PROVIDERS

TOOL = Tool("t", "A tool", {"type": "object", "properties": {"a": {}}}, strict=False)
OPEN = ScriptCall("t", {"a": 1}, id="aaaaaaaa1")
OTHER = ScriptCall("t", {"a": 2}, id="aaaaaaaa2")
FREE = ToolChoice()


def said(*steps: Step, tool: Tool = TOOL, choice: ToolChoice = FREE, system: str | None = None) -> Scenario:
    """A scenario with one tool."""
    return Scenario("a.b", "A loss", ("r",), frozenset(), None, None, system, False, (tool,), choice, (), steps)


def calls(*made: ScriptCall) -> AnswerStep:
    return AnswerStep(ScriptTurn(calls=made), tuple(f"c{place}" for place in range(len(made))))


def result(*parts: Part, error: bool = False) -> Scenario:
    """A scenario with one result."""
    return said(UserStep("?"), calls(OPEN), ResultsStep((ScriptResult("c0", parts, error),)))


OK = (TextPart("ok"),)
ASKED = (UserStep("?"), calls(OPEN))

REQUESTS = {
    "decisions": said(*ASKED, DecisionsStep({"c0": False})),
    "finish-order": said(
        UserStep("?"), calls(OPEN, OTHER), ResultsStep((ScriptResult("c1", OK), ScriptResult("c0", OK)))
    ),
    "images": result(ImagePart("image/png", b"\x89PNG")),
    "structured-results": result(JsonPart({"a": 1})),
    "structured-results-in-a-struct": result(JsonPart([2**53 + 1])),
    "part-boundaries": result(*OK, *OK),
    "error-mark": result(TextPart('{"error":"x"}')),
    "silent-failure": result(TextPart(" "), error=True),
    "invalid-arguments": said(UserStep("?"), calls(replace(OPEN, arguments=None, raw="{"))),
    "blank-text": said(UserStep(" "), *ASKED),
    "empty-system": said(*ASKED, system=""),
    "empty-turns": said(UserStep("?"), AnswerStep(ScriptTurn())),
    "turn-boundaries": said(UserStep("?"), AnswerStep(ScriptTurn("a")), AnswerStep(ScriptTurn("b"))),
    "answer-before-user": said(*ASKED, ResultsStep((ScriptResult("c0", OK),)), UserStep("and?")),
    "id-shape": said(UserStep("?"), calls(replace(OPEN, id="a:" + "b" * 63))),
    "foreign-ids": said(*ASKED),
    "tool-choice": said(*ASKED, choice=ToolChoice("none")),
    "parallel-switch": said(*ASKED, choice=ToolChoice(parallel=False)),
    "parallel-default": said(*ASKED, choice=ToolChoice(parallel=True)),
    "strict": said(*ASKED, tool=replace(TOOL, strict=True)),
    "strict-for-all": said(*ASKED),
    "forced-tool": said(*ASKED, choice=ToolChoice("tool", "t")),
    "strict-default": said(*ASKED, tool=replace(TOOL, strict=None)),
    "no-parameters": said(*ASKED, tool=replace(TOOL, parameters=None)),
    "no-parameters-closed": said(*ASKED, tool=replace(TOOL, parameters=None)),
    "untyped-root": said(*ASKED, tool=replace(TOOL, parameters={"properties": {}})),
}
ANSWERS = {
    "wide-integers": ScriptTurn(calls=(ScriptCall("t", {"a": 2**53 + 1}),)),
    "whole-floats": ScriptTurn(calls=(ScriptCall("t", {"a": 5.0}),)),
    "ids-never-given": ScriptTurn(calls=(OPEN,), quirks=frozenset({"missing_ids"})),
    "argument-text": ScriptTurn(calls=(ScriptCall("t", raw="{"),)),
    "refusal-is-text": ScriptTurn(refusal="No."),
    "refusal-words": ScriptTurn(refusal="No."),
}


def request_holds(name: str, provider: str, allowed: Collection[str]) -> bool:
    return _holds(lambda: carried(provider, conversation_of(REQUESTS[name]), allowed))


def answer_holds(name: str, provider: str, allowed: Collection[str]) -> bool:
    return _holds(lambda: understood(provider, said(*ASKED), ANSWERS[name], allowed))


def _holds(law: Callable[[], object]) -> bool:
    try:
        law()
    except AssertionError:
        return False
    return True


@pytest.mark.parametrize("name", losses())
def test_a_loss_is_real_where_it_is_declared_and_nowhere_else(name: str) -> None:
    loss = losses()[name]
    holds = request_holds if loss.side == "request" else answer_holds
    for provider in PROVIDERS:
        declared = losses_of(provider, loss.side)
        assert holds(name, provider, declared), f"{provider} loses more than it declares"
        assert holds(name, provider, declared - {name}) == (provider not in loss.providers), provider


def test_every_loss_has_a_form_and_an_example() -> None:
    sides = {side: {loss.id for loss in losses().values() if loss.side == side} for side in ("request", "answer")}
    assert sides["request"] == REQUEST_FORMS.keys() == REQUESTS.keys()
    assert sides["answer"] == ANSWER_FORMS.keys() == ANSWERS.keys()


@pytest.mark.parametrize("name", losses())
def test_it_says_what_why_and_from_where(name: str) -> None:
    loss = losses()[name]
    assert loss.lost.endswith(".") and loss.why and loss.source
    assert len(set(loss.providers)) == len(loss.providers)
    assert set(loss.providers) <= set(PROVIDERS)
    for source in loss.source:
        assert not source.startswith("rule ") or source.removeprefix("rule ") in catalogue(), source


def test_an_unknown_provider() -> None:
    with pytest.raises(KeyError):
        losses_of("openai", "request")
