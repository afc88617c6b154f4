"""Who plays the provider. `Scripted` answers as a scenario says; others answer from recordings or over the network."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Protocol

from conformance.answers import Answer, answer_of_events, answer_of_response
from conformance.deliveries import Delivery
from conformance.http import Framing, Request, frame
from conformance.model import Conversation, Tool
from conformance.scenarios import Scenario
from conformance.script import ScriptError, ScriptTurn, Voice
from conformance.wires import wire
from conformance.wires.facts import Facts, SentTool
from conformance.wires.naming import wire_names


@dataclass(frozen=True, slots=True)
class Delivered:
    """An answer as it reaches the adapter: complete, or in ``chunks``."""

    answer: Answer
    chunks: list[bytes] | None = None


class Responder(Protocol):
    """Answers the model calls of one scenario on one provider."""

    def respond(
        self, place: int, request: Request, facts: Facts, intent: Conversation, delivery: Delivery
    ) -> Delivered:
        """The answer to the model call number ``place``."""


@dataclass
class Scripted:
    """Answers as the scenario says, in the provider's own format.

    The model calls tools by the names under which the request declares them. Answers are kept: the deliveries of a
    scenario differ in how bytes are cut, not in what they say.
    """

    scenario: Scenario
    provider: str
    _answers: dict[object, Answer] = field(default_factory=dict)

    def respond(
        self, place: int, request: Request, facts: Facts, intent: Conversation, delivery: Delivery
    ) -> Delivered:
        """The scripted answer number ``place``, delivered as ``delivery`` says."""
        says = self.scenario.answers[place]
        if isinstance(says, ScriptError):
            return Delivered(answer_of_response(wire(self.provider), wire(self.provider).render_error(says)))
        names = declared_names(intent.tools, facts)
        answer = self._answer(place, says, names, intent, streaming=delivery.streaming)
        if answer.events is None or delivery.cut is None:
            return Delivered(answer)
        framed = frame(answer.events, self._framing(delivery), delivery.style)
        return Delivered(answer, delivery.cut(framed))

    def _framing(self, delivery: Delivery) -> Framing:
        return delivery.framing or wire(self.provider).framings[0]

    def _answer(
        self, place: int, says: ScriptTurn, names: dict[str, str], intent: Conversation, *, streaming: bool
    ) -> Answer:
        key = (place, streaming, *sorted(names.items()))
        if key not in self._answers:
            speaker, voice = wire(self.provider), Voice(intent.model, names, f"{self.scenario.id}/{place}")
            reader = Conversation((), tuple(replace(tool, name=names[tool.name], mcp=None) for tool in intent.tools))
            answer = (
                answer_of_events(speaker, speaker.render_stream(says, voice), reader)
                if streaming
                else answer_of_response(speaker, speaker.respond(says, voice), reader)
            )
            self._answers[key] = _with_application_names(answer, names)
        return self._answers[key]


def _with_application_names(answer: Answer, names: dict[str, str]) -> Answer:
    back = {declared: name for name, declared in names.items()}
    calls = tuple(replace(call, name=back.get(call.name, call.name)) for call in answer.offered.calls)
    return replace(answer, offered=replace(answer.offered, calls=calls))


def declared_names(tools: tuple[Tool, ...], facts: Facts) -> dict[str, str]:
    """The wire name of each tool: that of the declaration with its name, its usual wire name, or its description."""
    usual = wire_names(tools)
    return {tool.name: _declared_name(tool, usual[tool.name], facts.functions) for tool in tools}


def _declared_name(tool: Tool, usual: str, sent: list[SentTool]) -> str:
    names = {item.name for item in sent if isinstance(item.name, str)}
    same = [item.name for item in sent if item.description == tool.description and isinstance(item.name, str)]
    if tool.name in names:
        return tool.name
    if usual in names or not same or not tool.description:
        return usual
    return same[0]
