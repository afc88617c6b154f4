"""The provider as the scenario says: its wire renders the scripted turns."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from conformance.answers import Answer, answer_of_events, answer_of_response
from conformance.deliveries import Delivery
from conformance.http import Framing, Request, Response, StreamEvent, frame
from conformance.model import Conversation, kinds_of
from conformance.responders.contract import DeliveredAnswer
from conformance.responders.damage import damaged
from conformance.responders.names import names_in_request, reader_for, with_application_names
from conformance.scenarios import Scenario
from conformance.script import SAID_ALIKE, ScriptError, ScriptTurn, Voice
from conformance.wires import card, wire
from conformance.wires.base import Wire
from conformance.wires.changes import changed_body, changed_events
from conformance.wires.facts import Facts


@dataclass
class ScriptedResponder:
    """Answers as the scenario says, in the provider's own format.

    The model calls tools by the names under which the request declares them. Answers are kept: the deliveries of a
    scenario differ in how bytes are cut, not in what they say.
    """

    scenario: Scenario
    provider: str
    _answers: dict[object, Answer] = field(default_factory=dict)

    free = False
    model = None
    replays = False

    def ends(self, *, as_meant: bool) -> list[str]:
        """Nothing is left: a script is as long as its scenario."""
        return []

    def respond(
        self, place: int, request: Request, facts: Facts, intent: Conversation, delivery: Delivery
    ) -> DeliveredAnswer:
        """The scripted answer number ``place``, delivered as ``delivery`` says."""
        says = self.scenario.answers[place]
        if isinstance(says, ScriptError):
            return DeliveredAnswer(answer_of_response(wire(self.provider), wire(self.provider).render_error(says)))
        names = names_in_request(intent.tools, facts)
        answer = self._answer(place, says, names, intent, streaming=delivery.streaming)
        if answer.events is None or delivery.cut is None:
            return DeliveredAnswer(answer)
        framed = frame(answer.events, self._framing(delivery), delivery.style)
        return DeliveredAnswer(answer, delivery.cut(framed), lost=delivery.loses and not answer.complete)

    def _framing(self, delivery: Delivery) -> Framing:
        return delivery.framing or card(self.provider).framings[0]

    def _answer(
        self, place: int, says: ScriptTurn, names: dict[str, str], intent: Conversation, *, streaming: bool
    ) -> Answer:
        key = (place, streaming, *sorted(names.items()))
        if key not in self._answers:
            speaker, voice = wire(self.provider), _voice(intent, names, f"{self.scenario.id}/{place}")
            reader = reader_for(intent, names)
            answer = (
                _streamed(speaker, says, voice, reader)
                if streaming
                else answer_of_response(speaker, _response(speaker, says, voice), reader)
            )
            self._answers[key] = with_application_names(self.rendered(place, answer, reader), names)
        return self._answers[key]

    def rendered(self, place: int, answer: Answer, reader: Conversation) -> Answer:
        """The answer number ``place`` as it goes out; ``reader`` is the conversation to read it with."""
        return answer


def _voice(intent: Conversation, names: dict[str, str], seed: str) -> Voice:
    return Voice(intent.model, names, seed, kinds_of(intent.tools))


def _streamed(speaker: Wire, says: ScriptTurn, voice: Voice, reader: Conversation) -> Answer:
    """The turn as a stream, with an event that arrives broken if the script wants it."""
    events = _events(speaker, says, voice)
    if says.changes:
        events = changed_events(speaker, events, says.changes)
    answer = answer_of_events(speaker, events, reader)
    if not says.damaged:
        known = answer.complete and _has_a_body(says)
        return replace(answer, whole=speaker.render(says, voice)) if known else answer
    return replace(answer_of_events(speaker, damaged(speaker, events), reader), meant=answer.offered)


def _has_a_body(says: ScriptTurn) -> bool:
    """Whether it is known what comes of a turn without a stream. Arguments that are no JSON come in no body that was
    recorded, and changes of an answer speak of one form alone."""
    return says.quirks <= SAID_ALIKE and not says.changes and all(call.raw is None for call in says.calls)


def _events(speaker: Wire, says: ScriptTurn, voice: Voice) -> list[StreamEvent]:
    """The events of a turn. A text that stands alone is in the middle of them, on every wire."""
    if says.cut != "text":
        return speaker.render_stream(says, voice)
    whole = speaker.render_stream(replace(says, cut=None), voice)
    return whole[: len(whole) // 2]


def _response(speaker: Wire, says: ScriptTurn, voice: Voice) -> Response:
    rendered = speaker.respond(says, voice)
    if not says.changes:
        return rendered
    return Response.of_json(rendered.status, changed_body(speaker.render(says, voice), says.changes), rendered.headers)
