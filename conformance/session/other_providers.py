"""What an adapter read at other providers before it was asked to go on at this one: a switch of models.

So the conversation holds what the adapter keeps of those turns (`AssistantTurn.opaque`): signatures, thinking, items.
They are played blocking, and nobody judges them: each provider has cases of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from conformance.deliveries import DELIVERIES
from conformance.http import Request
from conformance.model import AssistantTurn, Conversation
from conformance.responders import DeliveredAnswer, ScriptedResponder
from conformance.scenarios import AnswerStep, Scenario
from conformance.script import ScriptTurn
from conformance.session.seat import Seat
from conformance.session.turns import continued
from conformance.transcript import Exchange
from conformance.wires import card

NEEDED = frozenset({"blocking", "reasoning"})
"""What an adapter must be able to do with a provider, to read there what it keeps."""


@dataclass
class OtherProviders:
    """Reads turns of a scenario's history at the providers that said them.

    ``at`` gives the adapter's seat at a provider; ``None`` where it does not know that one. What the provider itself
    said before, where the scenario goes on, is no switch, and is left to be told as what another one said.
    """

    scenario: Scenario
    provider: str
    at: Callable[[str], Seat | None]
    exchanges: list[Exchange] = field(default_factory=list)

    def turn(self, step: AnswerStep, seed: str, conversation: Conversation) -> AssistantTurn | None:
        """The turn of a step, as the adapter read it; ``None`` where it did not."""
        if step.by is None or step.by == card(self.provider).provider or (seat := self.at(step.by)) is None:
            return None
        alone = replace(self.scenario, id=seed, history=(), steps=(step,))
        exchange = self._exchange(step.by, seat, alone, conversation)
        if exchange.turn is None or exchange.offered is None:
            return None
        self.exchanges.append(exchange)
        return continued(exchange, seed)

    def _exchange(self, provider: str, seat: Seat, scenario: Scenario, conversation: Conversation) -> Exchange:
        [says] = scenario.answers
        thinks = isinstance(says, ScriptTurn) and says.reasoning is not None
        asked = replace(conversation, model=card(provider).model, reasoning=thinks)
        delivery, responder = DELIVERIES["blocking"], ScriptedResponder(scenario, provider)
        previous = self.exchanges[-1] if self.exchanges else None
        exchange = Exchange(provider, conversation.profile, asked, delivery=delivery, previous=previous)

        def respond(request: Request) -> DeliveredAnswer:
            exchange.request = request
            given = responder.respond(0, request, exchange.facts, asked, delivery)
            exchange.receive(given.answer, given.chunks)
            return given

        made = seat.call(asked, delivery, respond)
        exchange.request, exchange.understood = made.request, made.understood
        return exchange
