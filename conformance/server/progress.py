"""How far a conversation is: which of a scenario's answers comes next, read off the request alone.

What was said, called and answered so far is counted and compared with what the scenario says would have happened before
each answer. Counting calls, results and what the user said survives much that clients do: merged messages, empty turns
left out, a word put between results and the user. It survives most mistakes, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from conformance.model import Json
from conformance.scenarios import AnswerStep, DecisionsStep, ResultsStep, Scenario, UserStep
from conformance.script import ScriptError, ScriptTurn
from conformance.wires.facts import Facts, SentMessage


@dataclass(frozen=True, slots=True)
class Count:
    """What has happened: things the user said, calls that were made, results that were given, turns of the model."""

    users: int = 0
    calls: int = 0
    results: int = 0
    turns: int = 0

    def distance(self, other: Count) -> float:
        """How different two counts are. Turns of the model tell least: clients add and drop empty ones."""
        return (
            2 * abs(self.users - other.users)
            + abs(self.calls - other.calls)
            + abs(self.results - other.results)
            + abs(self.turns - other.turns) / 2
        )


def counts(scenario: Scenario) -> list[Count]:
    """What has happened before each answer, and, as the last item, when all is over."""
    return list(_counts(scenario))


def _counts(scenario: Scenario) -> Iterator[Count]:
    now = Count()
    for place, step in enumerate((*scenario.history, *scenario.steps)):
        match step:
            case UserStep():
                now = replace(now, users=now.users + 1)
            case ResultsStep(results):
                now = replace(now, results=now.results + len(results))
            case DecisionsStep(accepted):
                now = replace(now, results=now.results + sum(not accept for accept in accepted.values()))
            case AnswerStep():
                if place >= len(scenario.history):
                    yield now
                now = _after(now, step)
    yield now


def _after(now: Count, step: AnswerStep) -> Count:
    """What has happened after an answer. One that failed or broke off is not gone on with."""
    says = step.says
    if isinstance(says, ScriptError) or says.only_streams or says.stops_with == "error":
        return now
    return replace(now, calls=now.calls + len(says.calls), turns=now.turns + bool(says.text or says.calls))


def count(facts: Facts, scenario: Scenario) -> Count:
    """What has happened, as a request tells it.

    Texts that the scenario does not know count for nothing, unless the client has none of the user's own.
    """
    said = [_text(text) for message in facts.messages if message.role == "user" for _, text in message.texts]
    known = sum(text in user_texts(scenario) for text in said)
    spoken = model_texts(scenario)
    spoke = [_spoke(message, spoken) for message in facts.messages if not facts.spread or message.wire_role is not None]
    turns = sum(_beginnings(spoke)) if facts.spread else sum(spoke)
    calls = len(facts.calls) + sum(reference.is_call for reference in facts.references)
    return Count(known or len(said), calls, len(facts.results), turns)


def _spoke(message: SentMessage, known: set[str]) -> bool:
    said = message.role == "assistant" and any(_text(text) in known for _, text in message.texts)
    return bool(message.calls) or said


def _beginnings(flags: list[bool]) -> Iterator[bool]:
    """Where a run of true values begins: on some wires one turn is several items."""
    yield from (now and not before for before, now in zip([False, *flags], flags, strict=False))


def model_texts(scenario: Scenario) -> set[str]:
    """What the model says in the scenario and its history."""
    turns = [step.says for step in (*scenario.history, *scenario.steps) if isinstance(step, AnswerStep)]
    return {turn.text.strip() for turn in turns if isinstance(turn, ScriptTurn) and turn.text.strip()}


def user_texts(scenario: Scenario) -> set[str]:
    """What the user says in the scenario and its history."""
    return {step.text.strip() for step in (*scenario.history, *scenario.steps) if isinstance(step, UserStep)}


def _text(text: Json) -> str:
    return text.strip() if isinstance(text, str) else ""


def candidates(facts: Facts, scenario: Scenario) -> list[int]:
    """The places of the answers that may come next: several where an answer leaves the conversation as it was.

    Empty when everything has been said.
    """
    expected, found = counts(scenario), count(facts, scenario)
    distances = [found.distance(item) for item in expected]
    best = min(distances)
    return [place for place, distance in enumerate(distances[:-1]) if distance == best]
