"""Small scenarios, as examples of what a format loses."""

from __future__ import annotations

from conformance.model import Part, TextPart, Tool, ToolChoice
from conformance.scenarios import AnswerStep, ResultsStep, Scenario, ScriptResult, Step, UserStep
from conformance.script import ScriptCall, ScriptTurn

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
