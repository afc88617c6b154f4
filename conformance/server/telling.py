"""A scenario as one provider tells it in answer to one request: its answers, and what the client must mean by asking.

The conversation so far is not remembered but known: the scenario says what was said, and the provider's earlier answers
are the same each time. So the scenario is played up to the place, with the client that sent the request in the
adapter's seat, and a server needs no state to judge how a request follows from what came before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from conformance.answers import Answer
from conformance.deliveries import DELIVERIES, Delivery
from conformance.http import Request
from conformance.model import AssistantTurn, Conversation, Profile, ToolCall
from conformance.outcomes import OperationFailure
from conformance.responders import DeliveredAnswer, ScriptedResponder
from conformance.scenarios import AnswerStep, Scenario
from conformance.script import ScriptTurn
from conformance.session.play import Play, beginning
from conformance.session.seat import ModelCall, Respond
from conformance.transcript import Exchange
from conformance.wires.facts import Facts, SentCall

UNKNOWN = Request("POST", "")
"""A request that came earlier, if at all. Nothing is kept of it."""


@dataclass
class ScenarioExchange(Exchange):
    """An exchange of a scenario. ``place`` is the number of its answer."""

    scenario: str = ""
    place: int = 0


@dataclass
class ScenarioReply:
    """One scenario, told in answer to one request, up to the answer number ``place``."""

    scenario: Scenario
    place: int
    provider: str
    profile: Profile
    request: Request
    facts: Facts
    model: str
    _scripted: ScriptedResponder = field(init=False)

    def __post_init__(self) -> None:
        self._scripted = ScriptedResponder(self.scenario, self.provider)

    def answer(self, delivery: Delivery) -> DeliveredAnswer:
        """The answer."""
        start = replace(beginning(self.scenario, self.profile), model=self.model)
        return self._scripted.respond(self.place, self.request, self.facts, start, delivery)

    @cached_property
    def _played(self) -> list[Exchange]:
        """All exchanges up to this one, the answers given in the way in which this one is asked for."""
        streaming = self.facts.stream or self.scenario.streams_only
        delivery = DELIVERIES["stream:per-event" if streaming else "blocking"]
        earlier = _Earlier(self.scenario, self.provider, facts=self.facts, called=self.model, usual=delivery)
        seat = _Seat(self.facts, self.place)
        return Play(self.scenario, self.provider, self.profile, delivery, seat, earlier).run()

    @property
    def intent(self) -> Conversation:
        """What a client means that asks for this answer."""
        intent = self._played[self.place].intent
        assert intent is not None
        return replace(intent, model=self.model)

    @property
    def before(self) -> ScenarioExchange | None:
        """The exchange before, and through it all earlier ones. What was asked then is not known."""
        earlier: ScenarioExchange | None = None
        for place, played in enumerate(self._played[: self.place]):
            told = self.exchange(place, played.intent, None, earlier)
            told.response, told.chunks, told.events = played.response, played.chunks, played.events
            told.answer, told.offered, told.complete = played.answer, played.offered, played.complete
            told.understood = played.understood
            earlier = told
        return earlier

    def exchange(
        self, place: int, intent: Conversation | None, request: Request | None, previous: Exchange | None
    ) -> ScenarioExchange:
        """The exchange in which the answer number ``place`` is given."""
        says = self.scenario.answers[place]
        return ScenarioExchange(
            self.provider,
            self.profile,
            intent=intent,
            request=request,
            previous=previous,
            quirks=says.quirks if isinstance(says, ScriptTurn) else frozenset(),
            scenario=self.scenario.id,
            place=place,
        )


@dataclass
class _Earlier(ScriptedResponder):
    """The provider as it answered before, going by what is known now: the request that came last."""

    scenario: Scenario
    provider: str
    facts: Facts = field(kw_only=True)
    called: str = field(kw_only=True)
    usual: Delivery = field(kw_only=True)

    def respond(
        self, place: int, request: Request, facts: Facts, intent: Conversation, delivery: Delivery
    ) -> DeliveredAnswer:
        """The answer number ``place``, to a request that is not known."""
        return super().respond(place, request, self.facts, replace(intent, model=self.called), self.usual)


@dataclass
class _Seat:
    """The client that sent one request, in the seat of an adapter that made all calls up to that one.

    It understands what the provider says, and gives the ids that the request shows where the provider gave none.
    """

    facts: Facts
    place: int
    seconds: float = 0.0
    _number: int = 0
    _taken: int = 0

    def call(self, conversation: Conversation, delivery: Delivery, respond: Respond) -> ModelCall:
        """One call. The one that the request makes is where the play ends."""
        self._number += 1
        if self._number > self.place:
            return ModelCall(OperationFailure("build_request", "error", "not yet asked"))
        if self._number == 1:
            self._taken = sum(len(turn.calls) for turn in conversation.turns if isinstance(turn, AssistantTurn))
        delivered = respond(UNKNOWN)
        return ModelCall(UNKNOWN, delivered, self._understood(delivered.answer))

    def read(
        self, chunks: list[bytes], conversation: Conversation, delivery: Delivery
    ) -> AssistantTurn | OperationFailure:
        """Streams are not read here: what they say is known."""
        return OperationFailure("parse_stream", "error", "not read")

    def _understood(self, answer: Answer) -> AssistantTurn:
        offered = answer.offered
        if not answer.complete or offered.error is not None:
            return offered
        sent = self.facts.calls[self._taken : self._taken + len(offered.calls)]
        self._taken += len(offered.calls)
        return replace(offered, calls=tuple(_with_ids(offered.calls, sent)))


def _with_ids(calls: Sequence[ToolCall], sent: Sequence[SentCall]) -> Iterator[ToolCall]:
    ids = [call.id for call in calls]
    usable = all(ids) and len(set(ids)) == len(ids) and "null" not in ids
    for place, call in enumerate(calls):
        own = sent[place].id if place < len(sent) else None
        yield call if usable or not isinstance(own, str) else replace(call, id=own)


def with_answer(scenario: Scenario, place: int, says: ScriptTurn) -> Scenario:
    """The scenario with another answer number ``place``."""
    steps, number = list(scenario.steps), -1
    for index, step in enumerate(steps):
        if isinstance(step, AnswerStep):
            number += 1
            if number == place:
                steps[index] = replace(step, says=says)
    return replace(scenario, steps=tuple(steps))
