"""Playing a scenario: model call by model call, with everything written down.

A script is followed to the letter. A real model decides for itself: it is told what the scenario is about, the tools
that it calls really run, and the play ends where it does something else.

What a turn was misunderstood as must not spoil the judgement of the next request, so the conversation goes on with what
the provider really said wherever the adapter understood something else (`continued`); only the adapter's own opaque
state, and its ids where they can be used, are always kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from conformance.deliveries import DELIVERIES, Delivery
from conformance.http import Request
from conformance.model import (
    AssistantTurn,
    Conversation,
    Decision,
    DecisionsTurn,
    Profile,
    ResultsTurn,
    ToolCall,
    ToolResult,
    Turn,
    UserTurn,
)
from conformance.outcomes import OperationFailure
from conformance.responders import DeliveredAnswer, Responder, UnansweredError
from conformance.scenarios import AnswerStep, DecisionsStep, ResultsStep, Scenario, Step, UserStep
from conformance.script import ScriptTurn
from conformance.session.directions import chose_otherwise
from conformance.session.other_providers import OtherProviders
from conformance.session.seat import Seat
from conformance.session.turns import continued, foreign_turn
from conformance.session.variants import VARIANTS
from conformance.transcript import Exchange, VariantName
from conformance.wires import card
from conformance.wires.facts import Facts


@dataclass
class Play:
    """One case being played.

    ``twins`` are what the adapter understood, answer by answer, when they came blocking. ``tools`` run calls for real;
    without them the scenario says what tools return.
    """

    scenario: Scenario
    provider: str
    profile: Profile
    delivery: Delivery
    seat: Seat
    responder: Responder
    twins: Sequence[AssistantTurn | None] = ()
    tools: Tools | None = None
    variants: Sequence[VariantName] = ()
    """What each model call is asked for besides, to compare the requests."""
    elsewhere: OtherProviders | None = None
    """Where the adapter reads the turns that other providers said before."""
    listens: Callable[[Exchange], None] | None = None
    """Reads the stream of an exchange once more, in other ways, and enters what was understood and told."""
    exchanges: list[Exchange] = field(default_factory=list)

    def run(self) -> list[Exchange]:
        """Play all steps. After a failure of the adapter there is nothing to go on with, and the play ends."""
        conversation = beginning(self.scenario, self.profile, self.responder.model, self.elsewhere)
        labels: tuple[str, ...] = ()
        place = 0
        for step in self.scenario.steps:
            if not isinstance(step, AnswerStep):
                conversation = conversation.then(self._said(step, labels, conversation))
                continue
            exchange = self._exchange(place, conversation, step)
            self.exchanges.append(exchange)
            place += 1
            if (
                exchange.understood is None
                or isinstance(exchange.understood, OperationFailure)
                or self._strays(exchange)
            ):
                break
            if exchange.complete and exchange.offered is not None and exchange.offered.error is None:
                labels = step.labels
                conversation = conversation.then(continued(exchange, f"{self.scenario.id}/{place}"))
        left = self.responder.ends(as_meant=all(map(_as_planned, self.exchanges)))
        if self.exchanges:
            self.exchanges[-1].unused = tuple(left)
        return self.exchanges

    def _strays(self, exchange: Exchange) -> bool:
        """Whether a real provider said something with which the scenario cannot go on."""
        error = exchange.offered is not None and exchange.offered.error is not None
        return bool(exchange.model_choice) or (self.responder.free and (error or not exchange.complete))

    def _said(self, step: Step, labels: tuple[str, ...], conversation: Conversation) -> Turn:
        if self.tools is not None and isinstance(step, ResultsStep):
            return ResultsTurn(tuple(map(self.tools.run, _last_calls(conversation))))
        return said(step, labels, conversation)

    def _exchange(self, place: int, conversation: Conversation, step: AnswerStep) -> Exchange:
        exchange = Exchange(
            self.provider,
            self.profile,
            intent=conversation,
            delivery=self.delivery,
            previous=self.exchanges[-1] if self.exchanges else None,
            quirks=step.says.quirks if isinstance(step.says, ScriptTurn) else frozenset(),
            real=(self.responder.free or self.responder.replays) and isinstance(step.says, ScriptTurn),
            replayed=self.responder.replays,
            twin=self.twins[place] if place < len(self.twins) else None,
            elsewhere=tuple(self.elsewhere.exchanges) if self.elsewhere is not None else (),
        )

        def respond(request: Request) -> DeliveredAnswer:
            exchange.request = request
            delivery = self._as_asked(request, exchange.facts)
            try:
                delivered = self.responder.respond(place, request, exchange.facts, conversation, delivery)
            except UnansweredError as problem:
                exchange.unanswered, exchange.nearest = (problem.at, problem.expected, problem.found), problem.nearest
                raise
            exchange.receive(delivered.answer, delivered.chunks, lost=delivered.lost)
            return delivered

        made = self.seat.call(conversation, self.delivery, respond)
        exchange.request, exchange.understood, exchange.changes = made.request, made.understood, made.changes
        if isinstance(made.request, Request):
            exchange.variants = dict(self._variants(place, exchange))
        if self.listens is not None:
            self.listens(exchange)
        if self.responder.free and exchange.complete and exchange.offered and not exchange.offered.error:
            called = [call.name for call in exchange.offered.calls]
            exchange.model_choice = chose_otherwise(self.scenario, place, called)
        return exchange

    def _variants(self, place: int, exchange: Exchange) -> Iterator[tuple[VariantName, Exchange]]:
        """The same model call with one thing changed."""
        for name in self.variants:
            assert exchange.intent is not None
            variant = VARIANTS[name]
            conversation, delivery = variant.change(exchange.intent), variant.delivery(self.delivery)
            if conversation is None:
                continue
            if variant.before is not None:
                self._asked(place, replace(variant.before, model=conversation.model), delivery)
            other = self._asked(place, conversation, delivery)
            other.previous = None if variant.apart else exchange.previous
            yield name, other

    def _asked(self, place: int, conversation: Conversation, delivery: Delivery) -> Exchange:
        """A model call besides. It is answered as the scenario says, because a client goes on until it is."""
        other = Exchange(self.provider, self.profile, conversation, delivery=delivery)

        def respond(request: Request) -> DeliveredAnswer:
            other.request = request
            return self.responder.respond(place, request, other.facts, conversation, delivery)

        other.request = self.seat.call(conversation, delivery, respond).request
        return other

    def _as_asked(self, request: Request, facts: Facts) -> Delivery:
        """The delivery; another one where the request asks for another kind of answer, because a provider goes by that.

        Gemini streams an array unless it is asked for server-sent events, and no array to who asked for these.
        """
        own = card(self.provider)
        asked = own.framing(request.query)
        if facts.stream and asked != (self.delivery.framing or own.framings[0]):
            plain = DELIVERIES["stream:json-array" if asked == "json-array" else "stream:per-event"]
            return replace(plain, loses=self.delivery.loses)
        if facts.stream == self.delivery.streaming:
            return self.delivery
        return DELIVERIES["stream:per-event" if facts.stream else "blocking"]


def _as_planned(exchange: Exchange) -> bool:
    """Whether neither the model nor the adapter left the scenario."""
    return not exchange.model_choice and not isinstance(exchange.understood, OperationFailure)


class Tools(Protocol):
    """Runs calls."""

    def run(self, call: ToolCall) -> ToolResult:
        """What the tool answers. Never raises."""


def beginning(
    scenario: Scenario, profile: Profile, model: str | None = None, elsewhere: OtherProviders | None = None
) -> Conversation:
    """The conversation before the first step: tools, choice, and what happened with another provider, in the words of
    the adapter where that was asked ``elsewhere``."""
    conversation = Conversation(
        turns=(),
        tools=scenario.tools,
        choice=scenario.choice,
        system=scenario.system,
        reasoning=scenario.reasoning,
        caching=scenario.caching,
        output=scenario.output,
        profile=profile,
    )
    if (name := model or scenario.model) is not None:
        conversation = replace(conversation, model=name)
    labels: tuple[str, ...] = ()
    for number, step in enumerate(scenario.history):
        if isinstance(step, AnswerStep):
            assert isinstance(step.says, ScriptTurn)
            seed = f"{scenario.id}/history/{number}"
            own = elsewhere.turn(step, seed, conversation) if elsewhere is not None else None
            conversation = conversation.then(own or foreign_turn(step.says, seed))
            labels = step.labels
        else:
            conversation = conversation.then(said(step, labels, conversation))
    return conversation


def said(step: Step, labels: tuple[str, ...], conversation: Conversation) -> Turn:
    """A step of the user or the tools, with labels replaced by the ids of the last turn's calls."""
    calls = dict(zip(labels, _last_calls(conversation), strict=False))
    match step:
        case UserStep(text):
            return UserTurn(text)
        case ResultsStep(results):
            return ResultsTurn(
                tuple(
                    ToolResult(calls[item.label].id, calls[item.label].name, item.content, item.is_error)
                    for item in results
                    if item.label in calls
                )
            )
        case DecisionsStep(accepted):
            return DecisionsTurn(
                tuple(Decision(calls[label].id, calls[label].name, accept) for label, accept in accepted.items())
            )
        case AnswerStep():
            raise TypeError("an answer is not said, it is asked for")


def _last_calls(conversation: Conversation) -> tuple[ToolCall, ...]:
    turns = reversed(conversation.turns)
    return next((turn.calls for turn in turns if isinstance(turn, AssistantTurn)), ())
