"""The model part: what a server's model chooses, as rates with intervals. It says nothing about conformance.

Each trial is asked again and again, with other words each time, blocking and streamed in turn. What is wrong with an
answer's form is no choice of a model: it goes to the wire part, and where it hides what was called, it counts in no
rate.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from conformance.model import AssistantTurn, Conversation, Json, Tool, ToolChoice, UserTurn, compact_json
from conformance.servers.asking import ServerAnswer, ServerLine
from conformance.servers.intervals import Interval, rate_difference, wilson
from conformance.servers.looking import MARKUP
from conformance.servers.probes import TOOLS
from conformance.servers.wire_part import WirePart, hides_calls
from conformance.wires import wire

MEASURES: Mapping[str, str] = {
    "required-kept": "a call comes where tool_choice asks for some call",
    "named-kept": "only the tool is called that tool_choice names, and it is called",
    "none-kept": "no call comes where tool_choice is none",
    "one-at-most": "one call at most comes where parallel calls are switched off",
    "calls-when-asked": "a call comes where the user asks for one",
    "text-when-not-asked": "no call comes where the user asks for none",
    "names-declared": "a call is of a tool that is declared",
    "arguments-valid": "a call's arguments are valid for the tool's schema",
}
"""What is measured, each as a rate of what was as asked."""


@dataclass(frozen=True, slots=True)
class ModelTrial:
    """A conversation that is asked again and again, and what its answer is measured by."""

    measure: str
    text: str
    choice: ToolChoice
    kept: Callable[[AssistantTurn], bool]

    def conversation(self, number: int, model: str) -> Conversation:
        """The conversation of one repeat: its words are its own."""
        turn = UserTurn(self.text.replace("{n}", str(number)))
        return Conversation((turn,), TOOLS, self.choice, model=model, max_tokens=256)


def _calls(turn: AssistantTurn) -> bool:
    return bool(turn.calls)


def _silent(turn: AssistantTurn) -> bool:
    return not turn.calls and MARKUP.search(turn.text) is None


READING = "Read the file notes{n}.txt with the tool read_file."
SEEKING = "Find the text alpha{n} with the tool search_files, at most 5 lines."

TRIALS = (
    ModelTrial("required-kept", READING, ToolChoice("required"), _calls),
    ModelTrial(
        "named-kept", SEEKING, ToolChoice("tool", "search_files"),
        lambda turn: bool(turn.calls) and {call.name for call in turn.calls} == {"search_files"},
    ),
    ModelTrial("none-kept", READING, ToolChoice("none"), _silent),
    ModelTrial(
        "one-at-most", "Read the files a{n}.txt and b{n}.txt.", ToolChoice(parallel=False),
        lambda turn: len(turn.calls) <= 1,
    ),
    ModelTrial("calls-when-asked", READING, ToolChoice(), _calls),
    ModelTrial("text-when-not-asked", "Say hello to guest number {n} in one short sentence.", ToolChoice(), _silent),
)  # fmt: skip


@dataclass
class MeasureCount:
    """How often something was as asked."""

    kept: int = 0
    of: int = 0

    def add(self, kept: bool) -> None:
        """Count one."""
        self.kept, self.of = self.kept + kept, self.of + 1

    @property
    def interval(self) -> Interval:
        """Where the rate lies, at 95 %."""
        return wilson(self.kept, self.of)

    def less(self, other: MeasureCount) -> Interval:
        """Where the difference to another rate lies, at 95 %."""
        return rate_difference(self.kept, self.of, other.kept, other.of)


@dataclass
class ModelPart:
    """What was measured. ``wrong_form`` counts the answers that say nothing about the model."""

    repeats: int
    measures: dict[str, MeasureCount] = field(default_factory=dict)
    wrong_form: int = 0

    def measure(self, name: str) -> MeasureCount:
        """What was measured under a name."""
        return self.measures.setdefault(name, MeasureCount())


def model_part(line: ServerLine, wire_part: WirePart, repeats: int) -> ModelPart:
    """Ask each trial so often. What is wrong with an answer's form is noted in the wire part."""
    part = ModelPart(repeats)
    for number in range(1, repeats + 1):
        for trial in _askable(line):
            asked = trial.conversation(number, line.server.model)
            answer = line.ask(f"model: {trial.measure}", asked, stream=number % 2 == 0)
            if hides_calls(answer, wire_part.judge(answer)):
                part.wrong_form += 1
                continue
            part.measure(trial.measure).add(trial.kept(answer.turn))
            for name, kept in _of_calls(answer):
                part.measure(name).add(kept)
    return part


def _askable(line: ServerLine) -> Iterator[ModelTrial]:
    """The trials whose choice the format can say."""
    for trial in TRIALS:
        asked = trial.conversation(0, line.server.model)
        speaker = wire(line.server.provider)
        facts = speaker.facts(speaker.build(asked, stream=False))
        mode = facts.choice.mode if facts.choice is not None else "auto"
        if mode == trial.choice.mode and (trial.choice.parallel is None or facts.parallel is not None):
            yield trial


def _of_calls(answer: ServerAnswer) -> Iterator[tuple[str, bool]]:
    for call in answer.turn.calls:
        tool = next((tool for tool in TOOLS if tool.name == call.name), None)
        yield "names-declared", tool is not None
        if tool is not None:
            yield "arguments-valid", is_valid(tool, call.arguments)


def is_valid(tool: Tool, arguments: Mapping[str, Json] | None) -> bool:
    """Whether arguments are valid for a tool's schema."""
    return arguments is not None and bool(_validator(compact_json(tool.parameters)).is_valid(dict(arguments)))


@cache
def _validator(schema: str) -> Any:
    import jsonschema_rs

    return jsonschema_rs.validator_for(json.loads(schema))
