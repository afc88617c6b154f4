"""A case played once more: what the provider answers, and what each model call is about.

The reference adapter plays against the scripted responder in this process, so answers and messages are whole, where the
evidence of a result is shortened.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from conformance.adapters.bound import BoundTranslator
from conformance.adapters.libraries.application import with_usable_ids
from conformance.adapters.reference import ReferenceAdapter
from conformance.deliveries import DELIVERIES, Delivery
from conformance.model import AssistantTurn, Conversation, Profile
from conformance.responders import DeliveredAnswer, ScriptedResponder
from conformance.scenarios import load_scenarios
from conformance.session.client import http_answer
from conformance.session.play import Play
from conformance.session.seat import ModelCall, Respond, TranslatorSeat
from conformance.transcript import Exchange, OperationFailure


class NoScriptError(ValueError):
    """There is no program for this cell. The message says why, and what repeats the failure instead."""


@dataclass(frozen=True, slots=True)
class ReferenceCall:
    """A model call of the reference adapter: what it was about, and what the provider answered."""

    exchange: Exchange
    status: int
    headers: dict[str, str]
    chunks: list[bytes]

    @property
    def intent(self) -> Conversation:
        """The conversation that the call continues."""
        assert self.exchange.intent is not None
        return self.exchange.intent

    @property
    def offered(self) -> AssistantTurn:
        """What the provider says, with its own ids."""
        return self.exchange.offered or AssistantTurn()

    @property
    def fails(self) -> bool:
        """Whether the provider answers with an error."""
        return self.offered.error is not None

    @property
    def own_ids(self) -> list[str] | None:
        """The ids that an application gives to the calls; ``None`` where the provider's can be used."""
        usable = [call.id for call in with_usable_ids(self.offered.calls, self.intent)]
        return usable if usable != [call.id for call in self.offered.calls] else None


def played(case: str, provider: str, profile: Profile, scenarios: Path | None) -> list[ReferenceCall]:
    """The model calls of a case, ``scenario/delivery`` or ``scenario/delivery#attempt``. Raises `NoScriptError`."""
    name = case.partition("/")[0]
    scenario = load_scenarios(scenarios).get(name)
    if scenario is None:
        raise NoScriptError(f"there is no scenario {name} here, so the answers are not known")
    seat = _Listening(provider)
    exchanges = Play(scenario, provider, profile, delivery(case), seat, ScriptedResponder(scenario, provider)).run()
    return list(_answered(exchanges, seat.answers, provider))


def delivery(case: str) -> Delivery:
    """How the answers of a case arrive."""
    return DELIVERIES[case.partition("/")[2].partition("#")[0]]


def _answered(exchanges: list[Exchange], answers: list[DeliveredAnswer], provider: str) -> Iterator[ReferenceCall]:
    for exchange, delivered in zip(exchanges, answers, strict=False):
        answer = http_answer(delivered, provider)
        headers = {name: value for name, value in answer.headers.items() if name.lower() != "content-length"}
        yield ReferenceCall(exchange, answer.status, headers, [chunk for chunk in answer.chunks if chunk])


class _Listening:
    """A seat that writes down what the provider answers."""

    def __init__(self, provider: str) -> None:
        self._seat = TranslatorSeat(BoundTranslator(ReferenceAdapter(), provider))
        self.answers: list[DeliveredAnswer] = []
        self.seconds = 0.0

    def call(self, conversation: Conversation, delivery: Delivery, respond: Respond) -> ModelCall:
        made = self._seat.call(conversation, delivery, respond)
        if made.delivered is not None:
            self.answers.append(made.delivered)
        return made

    def read(
        self, chunks: list[bytes], conversation: Conversation, delivery: Delivery
    ) -> AssistantTurn | OperationFailure:
        return self._seat.read(chunks, conversation, delivery)
