"""Losses of requests as functions: what two conversations have in common after a declared loss.

Each function takes away, from either side of a comparison, exactly what `conformance/rules/losses.yaml` says
is lost, and nothing else. Beside it stands an example in which it is lost. They share no code with the wires. Losses of
answers are in `answer_forms`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

from examples import ASKED, OK, OPEN, OTHER, TOOL, calls, result, said
from forms import results_changed, tools_changed, turns_changed

from conformance.model import (
    REJECTED,
    AssistantTurn,
    Conversation,
    Decision,
    DecisionsTurn,
    ImagePart,
    Json,
    JsonPart,
    Part,
    ResultsTurn,
    TextPart,
    Tool,
    ToolCall,
    ToolChoice,
    ToolResult,
    Turn,
    UserTurn,
    compact_json,
)
from conformance.scenarios import AnswerStep, DecisionsStep, ResultsStep, Scenario, ScriptResult, UserStep
from conformance.script import ScriptTurn

Form = Callable[[Conversation], Conversation]


class RequestLoss(NamedTuple):
    """What is left after a loss, and a scenario whose request has it."""

    form: Form
    example: Scenario


REQUEST_FORMS: dict[str, RequestLoss] = {}
"""By the id of the loss, in the order in which they are to be applied."""


def request_loss(name: str, example: Scenario) -> Callable[[Form], Form]:
    """Bind a function and an example to a declared loss."""

    def bind(form: Form) -> Form:
        REQUEST_FORMS[name] = RequestLoss(form, example)
        return form

    return bind


def common_form(conversation: Conversation, losses: Collection[str]) -> Conversation:
    """What is left of ``conversation`` after ``losses``."""
    for name, loss in REQUEST_FORMS.items():
        if name in losses:
            conversation = loss.form(conversation)
    return conversation


# --- decisions and results -------------------------------------------------------------------------------------------


@request_loss("decisions", said(*ASKED, DecisionsStep({"c0": False})))
def _decisions(conversation: Conversation) -> Conversation:
    """Who is rejected gets a failed result, together with the results of the same round; acceptance is not told."""
    turns: list[Turn] = []
    for answers, group in groupby(conversation.turns, lambda turn: isinstance(turn, ResultsTurn | DecisionsTurn)):
        if not answers:
            turns += group
            continue
        results = [result for turn in group for result in _told(turn)]
        turns += [ResultsTurn(tuple(results))] if results else []
    return replace(conversation, turns=tuple(turns))


def _told(turn: Turn) -> list[ToolResult]:
    if isinstance(turn, DecisionsTurn):
        return [_rejected(decision) for decision in turn.decisions if not decision.accept]
    return list(turn.results) if isinstance(turn, ResultsTurn) else []


def _rejected(decision: Decision) -> ToolResult:
    return ToolResult(decision.call_id, decision.name, (TextPart(REJECTED),), is_error=True)


@request_loss(
    "finish-order",
    said(UserStep("?"), calls(OPEN, OTHER), ResultsStep((ScriptResult("c1", OK), ScriptResult("c0", OK)))),
)
def _finish_order(conversation: Conversation) -> Conversation:
    order = {
        call.id: place
        for turn in conversation.turns
        if isinstance(turn, AssistantTurn)
        for place, call in enumerate(turn.calls)
    }

    def sort(turn: Turn) -> Turn:
        if isinstance(turn, ResultsTurn):
            return ResultsTurn(tuple(sorted(turn.results, key=lambda result: order.get(result.call_id, 0))))
        return turn

    return turns_changed(conversation, sort)


@request_loss("images", result(ImagePart("image/png", b"\x89PNG")))
def _images(conversation: Conversation) -> Conversation:
    def summary(part: Part) -> Part:
        if not isinstance(part, ImagePart):
            return part
        return TextPart(f"Binary content of type {part.media_type} was processed.")

    return results_changed(conversation, lambda result: replace(result, content=tuple(map(summary, result.content))))


def _as_text(part: Part) -> Part:
    return TextPart(compact_json(part.value)) if isinstance(part, JsonPart) else part


@request_loss("structured-results", result(JsonPart({"a": 1})))
def _structured(conversation: Conversation) -> Conversation:
    return results_changed(conversation, lambda result: replace(result, content=tuple(map(_as_text, result.content))))


@request_loss("structured-results-in-a-struct", result(JsonPart([2**53 + 1])))
def _structured_in_a_struct(conversation: Conversation) -> Conversation:
    def change(result: ToolResult) -> ToolResult:
        match result.content:
            case (JsonPart(str(text)),):
                return replace(result, content=(TextPart(text),))
            case (JsonPart(value),) if value is not None and not result.is_error and _fits_doubles(value):
                return result
        return replace(result, content=tuple(map(_as_text, result.content)))

    return results_changed(conversation, change)


def _fits_doubles(value: Json) -> bool:
    if isinstance(value, dict | list):
        return all(map(_fits_doubles, value.values() if isinstance(value, dict) else value))
    return not isinstance(value, int) or int(float(value)) == value


@request_loss("structured-values", result(JsonPart([1])))
def _structured_values(conversation: Conversation) -> Conversation:
    def change(part: Part) -> Part:
        return part if isinstance(part, JsonPart) and isinstance(part.value, dict) else _as_text(part)

    return results_changed(conversation, lambda result: replace(result, content=tuple(map(change, result.content))))


@request_loss("empty-parts", result(TextPart(""), TextPart("")))
def _empty_parts(conversation: Conversation) -> Conversation:
    def change(result: ToolResult) -> ToolResult:
        kept = tuple(part for part in result.content if part != TextPart(""))
        return replace(result, content=kept or (TextPart(""),))

    return results_changed(conversation, change)


@request_loss("part-boundaries", result(*OK, *OK))
def _boundaries(conversation: Conversation) -> Conversation:
    def join(result: ToolResult) -> ToolResult:
        if len(result.content) == 1:
            return result
        texts = [part.text for part in map(_as_text, result.content) if isinstance(part, TextPart)]
        return replace(result, content=(TextPart("\n".join(texts)),))

    return results_changed(conversation, join)


@request_loss("error-mark", result(TextPart('{"error":"x"}')))
def _error_mark(conversation: Conversation) -> Conversation:
    def mark(result: ToolResult) -> ToolResult:
        text = result.content[0].text if isinstance(result.content[0], TextPart) else ""
        if not result.is_error:
            return result
        return replace(result, content=(TextPart(compact_json({"error": text})),), is_error=False)

    return results_changed(conversation, mark)


@request_loss("silent-failure", result(TextPart(" "), error=True))
def _silent_failure(conversation: Conversation) -> Conversation:
    def speak(result: ToolResult) -> ToolResult:
        blank = all(isinstance(part, TextPart) and not part.text.strip() for part in result.content)
        if not (result.is_error and blank):
            return result
        return replace(result, content=(TextPart("The tool failed and gave no message."),))

    return results_changed(conversation, speak)


# --- turns -----------------------------------------------------------------------------------------------------------


@request_loss("invalid-arguments", said(UserStep("?"), calls(replace(OPEN, arguments=None, raw="{"))))
def _invalid_arguments(conversation: Conversation) -> Conversation:
    def wrap(call: ToolCall) -> ToolCall:
        if call.arguments is not None:
            return call
        return replace(call, arguments={"invalid_arguments": call.raw}, raw=None, invalid=False)

    return turns_changed(conversation, lambda turn: _with_calls(turn, wrap))


def _with_calls(turn: Turn, change: Callable[[ToolCall], ToolCall]) -> Turn:
    return replace(turn, calls=tuple(map(change, turn.calls))) if isinstance(turn, AssistantTurn) else turn


@request_loss("blank-text", said(UserStep(" "), *ASKED))
def _blank_text(conversation: Conversation) -> Conversation:
    def change(turn: Turn) -> Turn | None:
        match turn:
            case UserTurn(text) if not text.strip():
                return None
            case AssistantTurn(text) if not text.strip():
                return replace(turn, text="")
        return turn

    system = conversation.system
    kept = system if system is not None and system.strip() else None
    return turns_changed(replace(conversation, system=kept), change)


@request_loss("empty-system", said(*ASKED, system=""))
def _empty_system(conversation: Conversation) -> Conversation:
    return replace(conversation, system=conversation.system or None)


@request_loss("empty-turns", said(UserStep("?"), AnswerStep(ScriptTurn())))
def _empty_turns(conversation: Conversation) -> Conversation:
    def silent(turn: Turn) -> bool:
        return isinstance(turn, AssistantTurn) and not turn.text and not turn.calls

    return turns_changed(conversation, lambda turn: None if silent(turn) else turn)


@request_loss("turn-boundaries", said(UserStep("?"), AnswerStep(ScriptTurn("a")), AnswerStep(ScriptTurn("b"))))
def _turn_boundaries(conversation: Conversation) -> Conversation:
    turns: list[Turn] = []
    for turn in conversation.turns:
        last = turns[-1] if turns else None
        if isinstance(turn, AssistantTurn) and isinstance(last, AssistantTurn):
            turns[-1] = replace(last, text=last.text + turn.text, calls=last.calls + turn.calls)
        else:
            turns.append(turn)
    return replace(conversation, turns=tuple(turns))


@request_loss("answer-before-user", said(*ASKED, ResultsStep((ScriptResult("c0", OK),)), UserStep("and?")))
def _answer_before_user(conversation: Conversation) -> Conversation:
    turns: list[Turn] = []
    for turn in conversation.turns:
        if isinstance(turn, UserTurn) and turns and isinstance(turns[-1], ResultsTurn):
            turns.append(AssistantTurn("OK"))
        turns.append(turn)
    return replace(conversation, turns=tuple(turns))


@request_loss("id-shape", said(UserStep("?"), calls(replace(OPEN, id="a:" + "b" * 63))))
def _id_shape(conversation: Conversation) -> Conversation:
    return _renumbered(conversation)


@request_loss("foreign-ids", said(*ASKED))
def _foreign_ids(conversation: Conversation) -> Conversation:
    return _renumbered(conversation)


def _renumbered(conversation: Conversation) -> Conversation:
    """Ids that say nothing but which call of the conversation it is."""
    calls = [call for turn in conversation.turns if isinstance(turn, AssistantTurn) for call in turn.calls]
    new: Mapping[str, str] = {call.id: f"number {place}" for place, call in enumerate(calls)}

    def change(turn: Turn) -> Turn:
        match turn:
            case ResultsTurn(results):
                return ResultsTurn(tuple(replace(item, call_id=new.get(item.call_id, "none")) for item in results))
            case DecisionsTurn(decisions):
                return DecisionsTurn(tuple(replace(item, call_id=new.get(item.call_id, "none")) for item in decisions))
        return _with_calls(turn, lambda call: replace(call, id=new[call.id]))

    return turns_changed(conversation, change)


# --- tools and choice ------------------------------------------------------------------------------------------------


@request_loss("tool-choice", said(*ASKED, choice=ToolChoice("none")))
def _tool_choice(conversation: Conversation) -> Conversation:
    tools: tuple[Tool, ...] = () if conversation.choice.mode == "none" else conversation.tools
    return replace(conversation, tools=tools, choice=ToolChoice(parallel=conversation.choice.parallel))


@request_loss("forbidden-calls", said(UserStep("?"), choice=ToolChoice("none")))
def _forbidden_calls(conversation: Conversation) -> Conversation:
    if conversation.choice.mode != "none":
        return conversation
    tools = conversation.tools if _called(conversation) else ()
    return replace(conversation, tools=tools, choice=replace(conversation.choice, mode="auto"))


def _called(conversation: Conversation) -> list[str]:
    turns = [turn for turn in conversation.turns if isinstance(turn, AssistantTurn)]
    return list(dict.fromkeys(call.name for turn in turns for call in turn.calls))


@request_loss("parallel-switch", said(*ASKED, choice=ToolChoice(parallel=False)))
def _parallel_switch(conversation: Conversation) -> Conversation:
    return replace(conversation, choice=replace(conversation.choice, parallel=None))


@request_loss("parallel-default", said(*ASKED, choice=ToolChoice(parallel=True)))
def _parallel_default(conversation: Conversation) -> Conversation:
    choice = conversation.choice
    said = False if choice.parallel is False and choice.mode != "none" else None
    return replace(conversation, choice=replace(choice, parallel=said))


@request_loss("strict", said(*ASKED, tool=replace(TOOL, strict=True)))
def _strict(conversation: Conversation) -> Conversation:
    return tools_changed(conversation, strict=lambda strict: None)


@request_loss("strict-for-all", said(*ASKED))
def _strict_for_all(conversation: Conversation) -> Conversation:
    asked = any(tool.strict for tool in conversation.tools)
    return tools_changed(conversation, strict=lambda strict: True if asked else None)


@request_loss("forced-tool", said(*ASKED, choice=ToolChoice("tool", "t")))
def _forced_tool(conversation: Conversation) -> Conversation:
    choice = conversation.choice
    some = replace(choice, mode="required", name=None)
    return replace(conversation, choice=some if choice.mode == "tool" else choice)


@request_loss("strict-default", said(*ASKED, tool=replace(TOOL, strict=None)))
def _strict_default(conversation: Conversation) -> Conversation:
    return tools_changed(conversation, strict=bool)


@request_loss("no-parameters", said(*ASKED, tool=replace(TOOL, parameters=None)))
def _no_parameters(conversation: Conversation) -> Conversation:
    empty = {"type": "object", "properties": {}}
    return tools_changed(conversation, parameters=lambda schema: empty if schema is None else schema)


@request_loss("no-parameters-closed", said(*ASKED, tool=replace(TOOL, parameters=None)))
def _no_parameters_closed(conversation: Conversation) -> Conversation:
    closed = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
    return tools_changed(conversation, parameters=lambda schema: closed if schema is None else schema)


@request_loss("untyped-root", said(*ASKED, tool=replace(TOOL, parameters={"properties": {}})))
def _untyped_root(conversation: Conversation) -> Conversation:
    def typed(schema: Mapping[str, Json] | None) -> Mapping[str, Json] | None:
        return schema if schema is None or "type" in schema else {"type": "object", **schema}

    return tools_changed(conversation, parameters=typed)
