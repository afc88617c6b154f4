"""From scenarios to conversations, and from requests (`Facts`) back to conversations."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from conformance.model import (
    AssistantTurn,
    Conversation,
    Decision,
    DecisionsTurn,
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
from conformance.scenarios import AnswerStep, DecisionsStep, ResultsStep, Scenario, UserStep
from conformance.script import ScriptTurn
from conformance.wires.base import mint
from conformance.wires.facts import Facts, SentMessage, SentResult
from conformance.wires.naming import wire_names
from conformance.wires.unified.request import UnifiedFacts


def conversation_of(scenario: Scenario) -> Conversation:
    """The conversation in which everybody said what the scenario says. Tools have their wire names.

    Names are another matter (`conformance.wires.naming`): all wires share them, and a request holds no others.
    """
    names = wire_names(scenario.tools)
    turns: list[Turn] = []
    calls: dict[str, ToolCall] = {}
    for place, step in enumerate(scenario.steps):
        match step:
            case UserStep(text):
                turns.append(UserTurn(text))
            case AnswerStep(ScriptTurn() as turn, labels):
                made = tuple(_call(turn, number, names, place) for number in range(len(turn.calls)))
                calls = dict(zip(labels, made, strict=True))
                turns.append(AssistantTurn(turn.text, made, turn.stops_with))
            case ResultsStep(results):
                turns.append(ResultsTurn(tuple(
                    ToolResult(calls[item.label].id, calls[item.label].name, item.content, item.is_error)
                    for item in results
                )))  # fmt: skip
            case DecisionsStep(accepted):
                turns.append(DecisionsTurn(tuple(
                    Decision(calls[label].id, calls[label].name, accept) for label, accept in accepted.items()
                )))  # fmt: skip
    choice = scenario.choice
    return Conversation(
        tuple(turns),
        tuple(Tool(names[tool.name], tool.description, tool.parameters, tool.strict) for tool in scenario.tools),
        ToolChoice(choice.mode, None if choice.name is None else names[choice.name], choice.parallel),
        scenario.system,
        profile="portable",
    )


def _call(turn: ScriptTurn, number: int, names: dict[str, str], place: int) -> ToolCall:
    call = turn.calls[number]
    own = call.id if call.id is not None else mint(f"{place}/{number}", 9)
    if call.raw is not None:
        return ToolCall(own, names[call.tool], None, call.raw, True)
    return ToolCall(own, names[call.tool], call.arguments or {})


# --- from requests ---------------------------------------------------------------------------------------------------


def conversation_from(facts: Facts) -> Conversation:
    """The conversation that a request says. What it does not say has its default."""
    choice = facts.choice
    system = [str(text) for _, text in facts.system]
    return Conversation(
        tuple(_Reader(facts).turns()),
        tuple(
            Tool(str(tool.name), tool.description or "", tool.schema, tool.strict) for tool in facts.functions
        ),
        ToolChoice(choice.mode if choice and choice.mode else "auto", choice.name if choice else None, facts.parallel),
        "".join(system) if system else None,
        profile="portable",
    )  # fmt: skip


@dataclass
class _Reader:
    """Reads messages one after the other. Results without an id answer the waiting calls by order."""

    facts: Facts
    _waiting: list[ToolCall] = field(default_factory=list)
    _number: int = 0

    def turns(self) -> Iterator[Turn]:
        """The turns, those of the same side taken together where the wire spreads one over several items."""
        results: list[ToolResult] = []
        said: list[AssistantTurn] = []
        for message in self.facts.messages:
            if (said and message.role != "assistant") or (said and not self.facts.spread):
                yield _joined(said)
                said = []
            if results and not message.results:
                yield ResultsTurn(tuple(results))
                results = []
            if message.role == "assistant":
                said.append(self._assistant(message))
            elif message.wire_role == "tool_decision":
                yield self._decision(message)
                continue
            results += [self._result(item) for item in message.results]
            if message.role == "user":
                if results and message.texts:
                    yield ResultsTurn(tuple(results))
                    results = []
                yield from (UserTurn(str(text)) for _, text in message.texts)
        if said:
            yield _joined(said)
        if results:
            yield ResultsTurn(tuple(results))

    def _assistant(self, message: SentMessage) -> AssistantTurn:
        calls = []
        for sent in message.calls:
            self._number += 1
            own = sent.id if isinstance(sent.id, str) else f"unnamed-{self._number}"
            calls.append(ToolCall(own, str(sent.name), sent.arguments))
        self._waiting = [*self._waiting, *calls] if self.facts.spread else calls
        return AssistantTurn("".join(str(text) for _, text in message.texts), tuple(calls))

    def _decision(self, message: SentMessage) -> DecisionsTurn:
        assert isinstance(self.facts, UnifiedFacts)
        (made,) = (item for item in self.facts.decisions if item.at == message.at)
        assert made.accept is not None
        return DecisionsTurn((Decision(str(made.ref), self._name(made.ref), made.accept),))

    def _name(self, ref: object) -> str:
        return next((call.name for call in self._waiting if call.id == ref), "?")

    def _result(self, sent: SentResult) -> ToolResult:
        if sent.ref is None:
            call = self._waiting.pop(0)
            assert sent.name == call.name, "a result without an id stands at another call's place"
            return ToolResult(call.id, call.name, *_content(sent))
        return ToolResult(str(sent.ref), self._name(sent.ref), *_content(sent))


def _joined(said: Iterable[AssistantTurn]) -> AssistantTurn:
    turns = list(said)
    return AssistantTurn("".join(turn.text for turn in turns), tuple(call for turn in turns for call in turn.calls))


def _content(sent: SentResult) -> tuple[tuple[Part, ...], bool]:
    """The parts of a result, and whether it reports a failure: by a mark, or, where there is none, in its text."""
    text = sent.text or ""
    if sent.error is None:
        told = _told_failure(text)
        return ((TextPart(text if told is None else told),), told is not None)
    output = sent.content.get("output") if isinstance(sent.content, dict) else None
    if output is not None and not isinstance(output, str):
        return (JsonPart(output),), False
    if isinstance(sent.content, list) and sent.content:
        return tuple(map(_part, sent.content)), sent.error
    return (TextPart(text),), sent.error


def _part(block: dict[str, Any]) -> Part:
    return JsonPart(block["json"]) if "json" in block else TextPart(block["text"])


def _told_failure(text: str) -> str | None:
    """The message of a failure that is told in the text, just as our wires write it."""
    try:
        value = json.loads(text)
    except ValueError:
        return None
    told = value["error"] if isinstance(value, dict) and value.keys() == {"error"} else None
    return told if isinstance(told, str) and text == compact_json(value) else None
