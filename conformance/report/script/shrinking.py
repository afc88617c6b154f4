"""A failing case made smaller: parts go as long as the failure stays the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from conformance.deliveries import DELIVERIES
from conformance.model import Json, Tool, ToolChoice
from conformance.report.script.edits import Removal, members, parts, without
from conformance.report.script.failing import CaseVariant, FailingCase, VariantOutcome
from conformance.scenarios import AnswerStep, DecisionsStep, ResultsStep, Scenario, Step, UserStep
from conformance.script import ScriptTurn

Reduction = tuple[CaseVariant, VariantOutcome]
"""A case, and what came of it."""

TRIES = 500
"""How many trials a program is worth."""


def shrunk(case: FailingCase, trial: CaseVariant, played: VariantOutcome) -> Reduction:
    """The smallest trial that shows the same, and what came of it: first what is said goes, then what answers hold."""
    trial, played = _smaller_scenario(case, trial, played)
    return _smaller_answers(case, trial, played)


def _smaller_scenario(case: FailingCase, trial: CaseVariant, played: VariantOutcome) -> Reduction:
    """Without tools, turns and fields that the kind of failure does not need."""
    going = True
    while going:
        going = False
        for smaller in _reductions(trial, played):
            if case.tries > TRIES:
                return trial, played
            tried = case.play(smaller)
            if tried is not None and tried.fails and tried.kind == played.kind:
                trial, played, going = smaller, tried, True
                break
    return trial, played


def _smaller_answers(case: FailingCase, trial: CaseVariant, played: VariantOutcome) -> Reduction:
    """Without events and members whose absence changes neither what the provider means nor what the library does."""
    gone: list[Removal] = []
    for place, delivered in enumerate(played.responder.delivered[: played.model_call]):
        for edits in parts(place, delivered):
            if case.tries > TRIES:
                return trial, played
            left = [edit for edit in edits if not any(_is_inside(edit, other) for other in gone)]
            if not left:
                continue
            smaller = replace(trial, edits=(*trial.edits, *left))
            tried = case.play(smaller)
            if tried is not None and tried.fails and tried.output == played.output and tried.answered_alike(played):
                trial, played = smaller, tried
                gone += left
    return trial, played


def _is_inside(edit: Removal, other: Removal) -> bool:
    same = (edit.answer, edit.event) == (other.answer, other.event)
    return same and edit.pointer[: len(other.pointer)] == other.pointer


# --- what may go -----------------------------------------------------------------------------------------------------


def _reductions(trial: CaseVariant, played: VariantOutcome) -> Iterator[CaseVariant]:
    """Trials with one part less, large parts first."""
    scenario = trial.scenario
    lost = DELIVERIES[trial.delivery].loses  # another failure than of a body that just ends
    if trial.delivery not in ("blocking", "stream:whole") and not lost and not trial.edits:
        yield replace(trial, delivery="stream:whole")
    for smaller in _smaller(scenario, played.model_call):
        yield replace(trial, scenario=smaller)


def _smaller(scenario: Scenario, model_call: int) -> Iterator[Scenario]:
    if scenario.history:
        yield replace(scenario, history=())
    yield from _without_small_talk(scenario)
    for history in _smaller_answer_steps(scenario.history):
        yield replace(scenario, history=history)
    for steps in _fewer_steps(scenario.steps, model_call):
        yield replace(scenario, steps=steps)
    for place in range(len(scenario.tools)):
        yield replace(scenario, tools=scenario.tools[:place] + scenario.tools[place + 1 :])
    if scenario.system is not None:
        yield replace(scenario, system=None)
    if scenario.reasoning:
        yield replace(scenario, reasoning=False)
    if scenario.caching:
        yield replace(scenario, caching=False)
    if scenario.output is not None:
        yield replace(scenario, output=None)
    if scenario.choice != ToolChoice():
        yield replace(scenario, choice=ToolChoice())
    for place, tool in enumerate(scenario.tools):
        for smaller in _smaller_tools(tool):
            yield replace(scenario, tools=(*scenario.tools[:place], smaller, *scenario.tools[place + 1 :]))


def _without_small_talk(scenario: Scenario) -> Iterator[Scenario]:
    """Without the words between a history that ends in results and the question that follows."""
    match (*scenario.history[-2:], *scenario.steps[:1]):
        case (ResultsStep(), AnswerStep(says=ScriptTurn(calls=())), UserStep()):
            yield replace(scenario, history=scenario.history[:-1], steps=scenario.steps[1:])


def _fewer_steps(steps: tuple[Step, ...], model_call: int) -> Iterator[tuple[Step, ...]]:
    """Without what follows the failure, without a round before it, without parts of a turn."""
    answers = [place for place, step in enumerate(steps) if isinstance(step, AnswerStep)]
    if model_call <= len(answers) and answers[model_call - 1] + 1 < len(steps):
        yield steps[: answers[model_call - 1] + 1]
    for place in answers[: model_call - 1]:
        after = place + 1
        while after < len(steps) and isinstance(steps[after], ResultsStep | DecisionsStep):
            after += 1
        yield steps[:place] + steps[after:]
    for place in range(1, len(steps) - 1):
        if not isinstance(steps[place], AnswerStep | ResultsStep | DecisionsStep):
            yield steps[:place] + steps[place + 1 :]
    yield from _smaller_answer_steps(steps)


def _smaller_answer_steps(steps: tuple[Step, ...]) -> Iterator[tuple[Step, ...]]:
    """Without a part of what the model says, or without one of its calls."""
    for place, step in enumerate(steps):
        if isinstance(step, AnswerStep) and isinstance(step.says, ScriptTurn):
            for says in _smaller_turns(step.says):
                yield (*steps[:place], replace(step, says=says), *steps[place + 1 :])
            for number in range(len(step.says.calls)):
                yield _without_call(steps, place, number)


def _without_call(steps: tuple[Step, ...], place: int, number: int) -> tuple[Step, ...]:
    """Without one call of a turn, and its result."""
    step = steps[place]
    assert isinstance(step, AnswerStep) and isinstance(step.says, ScriptTurn)
    label = step.labels[number]
    calls = step.says.calls[:number] + step.says.calls[number + 1 :]
    labels = step.labels[:number] + step.labels[number + 1 :]
    smaller: list[Step] = [*steps[:place], AnswerStep(replace(step.says, calls=calls), labels)]
    for later in steps[place + 1 :]:
        if isinstance(later, ResultsStep):
            later = ResultsStep(tuple(result for result in later.results if result.label != label))
        elif isinstance(later, DecisionsStep):
            later = DecisionsStep({name: said for name, said in later.accepted.items() if name != label})
        smaller.append(later)
    return tuple(smaller)


def _smaller_turns(says: ScriptTurn) -> Iterator[ScriptTurn]:
    if says.text:
        yield replace(says, text="")
    if says.reasoning is not None:
        yield replace(says, reasoning=None)
    if says.search is not None:
        yield replace(says, search=None)
    for quirk in sorted(says.quirks):
        yield replace(says, quirks=says.quirks - {quirk})
    for number in range(len(says.changes)):
        yield replace(says, changes=says.changes[:number] + says.changes[number + 1 :])
    for number, call in enumerate(says.calls):
        for name in call.arguments if isinstance(call.arguments, dict) else ():
            fewer = {key: value for key, value in call.arguments.items() if key != name}
            yield replace(says, calls=(*says.calls[:number], replace(call, arguments=fewer), *says.calls[number + 1 :]))


def _smaller_tools(tool: Tool) -> Iterator[Tool]:
    """Without a part of the schema, what holds others first. A property that goes is not required any more."""
    for pointer in members(tool.parameters, items=True):
        if pointer != ("type",):
            yield replace(tool, parameters=_with_what_is_there(without(tool.parameters, pointer)))


def _with_what_is_there(schema: Json) -> Json:
    """A schema that requires no more than the properties it has."""
    if isinstance(schema, list):
        return [_with_what_is_there(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    tidy = {name: _with_what_is_there(item) for name, item in schema.items()}
    required, properties = tidy.get("required"), tidy.get("properties")
    if isinstance(required, list) and isinstance(properties, dict):
        left = [name for name in required if name in properties]
        tidy = {name: item for name, item in tidy.items() if name != "required" or left}
        if left:
            tidy["required"] = left
    return tidy
